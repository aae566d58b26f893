/** State that several components show and none of them owns. */
import { useSyncExternalStore } from 'react';

/** Renders components again when a value outside of React has changed. */
export function createChanges() {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    /** Call it after each change. */
    notify: (): void => listeners.forEach((listener) => listener()),
    /** A hook: the value as it is now. */
    useValue: <Value>(read: () => Value): Value => useSyncExternalStore(subscribe, read),
  };
}
