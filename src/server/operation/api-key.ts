/**
 * The caller's key, checked before anything is called with it.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../lib/api-key.ts';
import { refusal } from './refusal.ts';

/** @throws UNAUTHENTICATED for an empty, repeated or otherwise unusable header. */
export function checkApiKey(key: string): void {
  // A header sent twice arrives with ", " between its values: the space gives it away.
  if (isApiKey(key)) return;
  throw refusal(401, 'UNAUTHENTICATED', `Send one ${API_KEY_HEADER} header of ${API_KEY_FORM}.`);
}
