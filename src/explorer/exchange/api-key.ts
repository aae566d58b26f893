/**
 * The API key of this tab: kept in session storage, and nowhere else.
 *
 * It never enters a URL, the history or local storage, so closing the tab forgets it.
 */
import { session } from '../storage.ts';
import { createChanges } from './changes.ts';

const NAME = 'content-pages:api-key';
const changes = createChanges();

export const readApiKey = (): string => session.get(NAME) ?? '';

export function writeApiKey(key: string): void {
  session.set(NAME, key.trim());
  changes.notify();
}

/** Uses a key until the user enters another; keeps one that is there. */
export function offerApiKey(key: string): void {
  if (session.get(NAME) === null) writeApiKey(key);
}

export const useApiKey = (): string => changes.useValue(readApiKey);
