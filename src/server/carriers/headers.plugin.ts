/** Headers that pass the gateway: callers' on to the backend, and the backend's back to callers. */
import { refusal } from '../../operation/refusal.ts';
import type { GatewayPlugin } from '../../operation/gateway-plugin.ts';

/**
 * The most characters that the names and values of one request may have together: every call of it carries them, and
 * servers commonly take 8 kB of headers.
 */
const MAX_CHARACTERS = 6_000;

/**
 * Bounds what is forwarded (`FORWARD_HEADERS`).
 *
 * @param names the headers that are forwarded.
 */
export const useForwardedHeaders = (names: readonly string[]): GatewayPlugin => {
  if (names.length === 0) return {};
  const message = `Send less in the headers ${names.join(', ')}: together they may have ${MAX_CHARACTERS} characters.`;
  return {
    onValidate({ context }) {
      const headers = context.caller.forwarded ?? [];
      const characters = headers.reduce((sum, { length }) => sum + length, 0);
      if (characters > MAX_CHARACTERS) throw refusal(431, 'HEADERS_TOO_LARGE', message);
    },
  };
};

/**
 * Sends what is exposed (`EXPOSE_HEADERS`) with whole answers and first parts.
 *
 * @param names the headers that the upstream exposes.
 */
export const useExposedHeaders = (names: readonly string[]): GatewayPlugin =>
  names.length === 0
    ? {}
    : {
        onAnswer({ headers }, { record }) {
          for (const pair of record.rest?.journal.exposed ?? []) headers.push(...pair);
        },
      };

/** Sends the token of the last write: who sends it back reads nothing older, from whichever replica. */
export const useConsistency = (): GatewayPlugin => ({
  onAnswer({ headers }, { record }) {
    const token = record.rest?.journal.consistency;
    if (token !== undefined) headers.push('x-consistency', token);
  },
});
