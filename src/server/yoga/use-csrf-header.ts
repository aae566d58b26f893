/**
 * Refuses what a foreign page could make a browser send without asking first.
 *
 * A request with a JSON body or with any header that forms cannot set has been preflighted, so
 * the key's own header is proof enough and most callers need no other.
 */
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import type { Plugin } from 'graphql-yoga';
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import { refusal } from '../operation/refusal.ts';

/** Any of these is proof. The second and third are what Yoga's and Apollo's clients send. */
const CSRF_HEADERS = [API_KEY_HEADER, 'x-graphql-yoga-csrf', 'apollo-require-preflight'];

export function useCsrfHeader(): Plugin {
  const { onRequestParse } = useCSRFPrevention({ requestHeaders: CSRF_HEADERS }) as Plugin;
  return {
    onRequestParse(payload) {
      try {
        return onRequestParse?.(payload);
      } catch {
        throw refusal(
          403,
          'CSRF_HEADER_MISSING',
          `Send the body as application/json, or one of the headers ${CSRF_HEADERS.join(', ')}.`,
        );
      }
    },
  };
}
