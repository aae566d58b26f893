/**
 * The API key of this tab: kept in session storage, and nowhere else.
 *
 * It never enters a URL, the history or local storage, so closing the tab forgets it.
 */
import { useSyncExternalStore } from 'react';

const NAME = 'content-pages:api-key';
const listeners = new Set<() => void>();

export const readApiKey = (): string => sessionStorage.getItem(NAME) ?? '';

export function writeApiKey(key: string): void {
  sessionStorage.setItem(NAME, key.trim());
  for (const listener of listeners) listener();
}

/** Uses a key until the user enters another; keeps one that is there. */
export function offerApiKey(key: string): void {
  if (sessionStorage.getItem(NAME) === null) writeApiKey(key);
}

export const useApiKey = (): string =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readApiKey);
