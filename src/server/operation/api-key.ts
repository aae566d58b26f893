/**
 * The caller's key, checked before anything is called with it.
 */
import { refusal } from './refusal.ts';

/** The header that carries it, on both sides of the gateway. */
export const API_KEY_HEADER = 'x-api-key';

/** @throws UNAUTHENTICATED for an empty, repeated or otherwise unusable header. */
export function checkApiKey(key: string): void {
  // A header sent twice arrives with ", " between its values: the space gives it away.
  if (USABLE_KEY.test(key)) return;
  throw refusal(
    401,
    'UNAUTHENTICATED',
    `Send one ${API_KEY_HEADER} header of 1 to 1024 visible ASCII characters.`,
  );
}

const USABLE_KEY = /^[\x21-\x7e]{1,1024}$/;
