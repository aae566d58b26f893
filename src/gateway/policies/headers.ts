/** Headers that pass the gateway: callers' on to the backend, and the backend's back to callers. */
import type { ForwardedHeaders } from '../../rest/call/forwarded-headers.ts';
import { clientError } from '../operation/client-error.ts';
import type { Operation } from '../operation/operation.ts';
import type { Policy } from '../pipeline.ts';

/**
 * The most characters that the names and values of one request may have together: every call of it carries them, and
 * servers commonly take 8 kB of headers.
 */
const MAX_CHARACTERS = 6_000;

/** Reads the headers of an operation that go on to the backend. */
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
 * Bounds what is forwarded (`FORWARD_HEADERS`).
 *
 * @param names the headers that are forwarded.
 */
export const forwardedHeaders = (names: readonly string[]): Policy => {
  if (names.length === 0) return {};
  const forwardedOf = createForwarding(names);
  const message = `Send less in the headers ${names.join(', ')}: together they may have ${MAX_CHARACTERS} characters.`;
  return {
    validate(operation) {
      const characters = forwardedOf(operation).reduce((sum, { length }) => sum + length, 0);
      if (characters > MAX_CHARACTERS) throw clientError(431, 'HEADERS_TOO_LARGE', message);
    },
  };
};

/**
 * Sends what is exposed (`EXPOSE_HEADERS`) with whole responses and first parts.
 *
 * @param names the headers that the upstream exposes.
 */
export const exposedHeaders = (names: readonly string[]): Policy =>
  names.length === 0
    ? {}
    : {
        respond({ rest }, { headers }) {
          for (const pair of rest?.journal.exposed ?? []) headers.push(...pair);
        },
      };

/** Sends the token of the last write: who sends it back reads nothing older, from whichever replica. */
export const consistency = (): Policy => ({
  respond({ rest }, { headers }) {
    const token = rest?.journal.consistency;
    if (token !== undefined) headers.push('x-consistency', token);
  },
});
