/** Checks of requests: methods, media types, CSRF, and what their transport supports. */
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import { clientError } from '../operation/client-error.ts';
import { accepts, negotiateMediaType } from '../operation/negotiation.ts';
import type { Operation } from '../operation/operation.ts';
import { hasJsonType, isOfForms, isReadable } from '../operation/params.ts';
import type { Policy } from '../policy.ts';

/** Each of these headers requires a preflight. Clients of Yoga and Apollo send the second and third. */
const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

export const httpRequest = (): Policy => ({
  onRequestParse(operation) {
    if (operation.transport.name !== 'http') return;
    const { unreadable } = operation.arrival;
    if (unreadable) throw unreadable;
    if (operation.method !== 'GET' && operation.method !== 'POST') {
      const message = `Method ${operation.method} is not supported. Use GET or POST.`;
      throw clientError(405, 'METHOD_NOT_ALLOWED', message, { allow: 'GET, HEAD, POST' });
    }
    if (operation.headers['sec-websocket-key'] !== undefined) throw notUpgraded();
    if (!negotiateMediaType(operation.accept)) {
      const message =
        '`Accept` has no supported media type. Add `application/graphql-response+json`.';
      throw clientError(406, 'NOT_ACCEPTABLE', message);
    }
    // Checked before parameters are read.
    if (!isPreflighted(operation) && (operation.method === 'GET' || isOfForms(operation))) {
      throw clientError(
        403,
        'CSRF_HEADER_MISSING',
        `Rejected to prevent CSRF. Send the body as \`application/json\`, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
      );
    }
    if (!isReadable(operation)) {
      const message = 'Unsupported media type. Send the body as `application/json`.';
      throw clientError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
    }
  },
});

/** A WebSocket that arrives as a plain request: proxies drop hop-by-hop headers. */
const notUpgraded = () =>
  clientError(
    426,
    'BAD_REQUEST',
    'A proxy dropped the upgrade of this WebSocket. Forward the headers `Upgrade` and `Connection` over HTTP/1.1: in nginx `proxy_http_version 1.1`, `proxy_set_header Upgrade $http_upgrade` and `proxy_set_header Connection "upgrade"`.',
    { upgrade: 'websocket' },
  );

/**
 * Whether browsers send a preflight before such a cross-origin request: it has a JSON body, or a header that forms
 * cannot set. Other media types are no proof, since browsers have sent unusual ones without a preflight.
 */
function isPreflighted(operation: Operation): boolean {
  if (hasJsonType(operation)) return true;
  for (const name of CSRF_HEADERS) if (operation.headers[name] !== undefined) return true;
  return false;
}

/** Checks that the transport supports queries, mutations or subscriptions. */
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
