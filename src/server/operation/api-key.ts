/**
 * The caller's key, checked before anything is called with it.
 */
import { API_KEY_FORM, API_KEY_HEADER, isApiKey } from '../../lib/api-key.ts';
import { refusal } from './refusal.ts';

/**
 * The key to call the backend with; undefined when there is none to send.
 *
 * @param fallback for callers who send no key at all. A bad key never falls back to it: its owner
 * meant to be somebody.
 * @throws UNAUTHENTICATED for an empty, repeated or otherwise unusable header.
 */
export function readApiKey(
  headers: Pick<Headers, 'get'>,
  fallback: string | undefined,
): string | undefined {
  const key = headers.get(API_KEY_HEADER);
  if (key === null) return fallback;
  // A header sent twice arrives with ", " between its values: the space gives it away.
  if (!isApiKey(key)) {
    throw refusal(401, 'UNAUTHENTICATED', `Send one ${API_KEY_HEADER} header of ${API_KEY_FORM}.`);
  }
  return key;
}
