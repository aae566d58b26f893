/**
 * Bounds the headers that go on to the backend: every call of a request carries them, and servers commonly take 8 kB
 * of headers.
 */
import { refusal } from '../operation/refusal.ts';
import type { GatewayPlugin } from '../operation/gateway-plugin.ts';

/** The most characters that the names and values of one request may have together. */
const MAX_CHARACTERS = 6_000;

/** @param names the headers that are forwarded. */
export const useForwardedHeaders = (names: readonly string[]): GatewayPlugin => {
  if (names.length === 0) return {};
  const message = `Send less in the headers ${names.join(', ')}: together they may have ${MAX_CHARACTERS} characters.`;
  return {
    onValidate({ context }) {
      const { headers = [] } = context.caller.forwarded ?? {};
      const characters = headers.reduce((sum, { length }) => sum + length, 0);
      if (characters > MAX_CHARACTERS) throw refusal(431, 'HEADERS_TOO_LARGE', message);
    },
  };
};
