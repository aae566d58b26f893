/** Forwarded headers: from callers to the backend, and from the backend to callers. */
import type { ForwardedHeaders } from '../../rest/call/keys.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../policy.ts';

/**
 * Maximum length of names and values per request, in characters: each backend call carries them, and servers commonly
 * accept 8 kB of headers.
 */
export const MAX_CHARACTERS = 6_000;

/** Returns an operation's headers for the backend. */
export type Forwarding = (operation: Operation) => ForwardedHeaders;

const NO_HEADERS: ForwardedHeaders = [];

/** @param names in lower case. */
export const createForwarding = (names: readonly string[]): Forwarding =>
  names.length === 0
    ? () => NO_HEADERS
    : (operation) =>
        names.flatMap((name) => {
          const value = operation.header(name);
          return value === undefined ? [] : [name, value];
        });

/**
 * Limits the size of forwarded headers (`FORWARD_HEADERS`).
 *
 * @param names forwarded headers.
 */
export const forwardedHeaders = (names: readonly string[]): Policy => {
  if (names.length === 0) return {};
  const forwardedOf = createForwarding(names);
  const message = `The headers ${names.join(', ')} have more than ${MAX_CHARACTERS} characters together. Shorten them.`;
  return {
    onValidate(operation) {
      const characters = forwardedOf(operation).reduce((sum, { length }) => sum + length, 0);
      if (characters > MAX_CHARACTERS) throw clientError(431, 'HEADERS_TOO_LARGE', message);
    },
  };
};

/**
 * Adds exposed headers (`EXPOSE_HEADERS`) to whole responses and first parts.
 *
 * @param names headers that the upstream exposes.
 */
export const exposedHeaders = (names: readonly string[]): Policy =>
  names.length === 0
    ? {}
    : {
        onAnswer({ rest }, { headers }) {
          for (const pair of rest?.callLog.exposed ?? []) headers.push(...pair);
        },
      };
