/** The API key of this tab, in session storage only: it never enters a URL, the history or local storage. */
import type { ExecutionResult } from 'graphql';
import { createChanges, session } from '../state.ts';

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

let rejected: string | undefined;

/** Notes whether the backend has rejected the key that a result was requested with. */
export function noteKey(
  key: string | null,
  { data, errors }: Pick<ExecutionResult<unknown>, 'data' | 'errors'>,
): void {
  const isRejected = errors?.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
  if (key === null || (!isRejected && !data)) return;
  if (isRejected) rejected = key;
  else if (rejected === key) rejected = undefined;
  changes.notify();
}

/** Whether the key in the field was rejected. */
export const useIsKeyRejected = (): boolean =>
  changes.useValue(() => rejected !== undefined && rejected === readApiKey());

export const useApiKey = (): string => changes.useValue(readApiKey);
