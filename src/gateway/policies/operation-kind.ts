/** Checks that the transport supports queries, mutations or subscriptions. */
import { clientError } from '../operation/client-error.ts';
import { accepts } from '../operation/negotiation.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../policy.ts';

export const operationKind = (): Policy => ({ onSelect: checkKind });

/** @throws METHOD_NOT_ALLOWED, NOT_ACCEPTABLE for unsupported operations. */
function checkKind({ operationType, method, transport, accept }: Operation): void {
  if (operationType === 'mutation' && method === 'GET') {
    throw clientError(405, 'METHOD_NOT_ALLOWED', 'Mutations are not allowed by GET. Use POST.', {
      allow: 'POST',
    });
  }
  if (operationType !== 'subscription') {
    if (!transport.onlySubscriptions) return;
    throw clientError(
      405,
      'METHOD_NOT_ALLOWED',
      'This WebSocket supports only subscriptions. Send queries and mutations by POST.',
    );
  }
  if (transport.streams === 'always') return;
  if (transport.streams === 'accepted' && accepts(accept, 'text/event-stream')) return;
  throw clientError(
    406,
    'NOT_ACCEPTABLE',
    'Subscriptions return several results. Accept `text/event-stream`, or open a WebSocket.',
  );
}
