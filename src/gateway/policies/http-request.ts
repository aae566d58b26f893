/**
 * Requests of HTTP, before there is an operation: methods, media types, and what a foreign page may not send.
 */
import { API_KEY_HEADER } from '../../v0/api-key.ts';
import { clientError } from '../operation/client-error.ts';
import { negotiateMediaType } from '../operation/negotiation.ts';
import type { Operation } from '../operation/operation.ts';
import { hasJsonType, isOfForms, isReadable } from '../operation/request-params.ts';
import type { Policy } from '../pipeline.ts';

/**
 * Any of these shows that no foreign page sent the request unasked. Yoga's and Apollo's clients send the second and
 * third.
 */
const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

export const httpRequest = (): Policy => ({
  params(operation) {
    if (operation.transport.name !== 'http') return;
    if (operation.unreadable) throw operation.unreadable;
    if (operation.method !== 'GET' && operation.method !== 'POST') {
      throw clientError(405, 'METHOD_NOT_ALLOWED', 'Send GraphQL by GET or POST.', {
        allow: 'GET, POST',
      });
    }
    if (!negotiateMediaType(operation.accept)) {
      throw clientError(406, 'NOT_ACCEPTABLE', 'Accept application/graphql-response+json.');
    }
    // Before anything is read of a request that a foreign page may have sent.
    if (!isPreflighted(operation) && (operation.method === 'GET' || isOfForms(operation))) {
      throw clientError(
        403,
        'CSRF_HEADER_MISSING',
        `Send the body as application/json, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
      );
    }
    if (!isReadable(operation)) {
      throw clientError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
    }
  },
});

/**
 * Whether a browser asks before it sends such a request for a foreign page: with a body of JSON, or with a header that
 * forms cannot set. No other media type is proof: browsers have sent requests with odd ones unasked.
 */
function isPreflighted(operation: Operation): boolean {
  if (hasJsonType(operation)) return true;
  for (const name of CSRF_HEADERS) if (operation.headers[name] !== undefined) return true;
  return false;
}
