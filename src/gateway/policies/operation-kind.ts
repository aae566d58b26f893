/**
 * Checks that the transport supports queries, mutations or subscriptions.
 */
import { clientError } from '../operation/client-error.ts';
import { accepts } from '../operation/negotiation.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../policy.ts';

export const operationKind = (): Policy => ({ onSelect: checkKind });

/** @throws METHOD_NOT_ALLOWED, NOT_ACCEPTABLE for unsupported operations. */
function checkKind({ operationType, method, transport, accept }: Operation): void {
  if (operationType === 'mutation' && method === 'GET') {
    throw clientError(405, 'METHOD_NOT_ALLOWED', 'Send a mutation by POST.', { allow: 'POST' });
  }
  if (operationType !== 'subscription') {
    if (!transport.onlySubscriptions) return;
    throw clientError(
      405,
      'METHOD_NOT_ALLOWED',
      'Send queries and mutations by POST: this WebSocket takes subscriptions alone.',
    );
  }
  if (transport.streams === 'always') return;
  if (transport.streams === 'accepted' && accepts(accept, 'text/event-stream')) return;
  throw clientError(
    406,
    'NOT_ACCEPTABLE',
    'Accept text/event-stream, or open a WebSocket: a subscription has more than one answer.',
  );
}
