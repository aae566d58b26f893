/**
 * State of the page outside of React: messages of the top bar, and the browser's storages. If a storage is blocked or
 * full, values stay in memory until the page is closed.
 */
import { useSyncExternalStore } from 'react';
import { orUndefined } from '../lib/or-undefined.ts';

export function createChanges() {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    notify: (): void => listeners.forEach((listener) => listener()),
    useValue: <Value>(read: () => Value): Value => useSyncExternalStore(subscribe, read),
  };
}

/** Time for which a message is shown, in milliseconds. */
const SHOWN_MS = 8_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const messages = createChanges();

/** Shows a message instead of the one before; `stays`: until the next. */
export function say(text: string, stays = false): void {
  message = text;
  clearTimeout(timer);
  if (text && !stays) timer = setTimeout(() => say(''), SHOWN_MS);
  messages.notify();
}

export const useMessage = (): string => messages.useValue(() => message);

/** @param open throws where the browser blocks the storage, as with all cookies off. */
function storageOf(open: () => Storage) {
  const inMemory = new Map<string, string>();
  const storage = orUndefined(open);
  return {
    get: (name: string): string | null => inMemory.get(name) ?? storage?.getItem(name) ?? null,
    /** Returns whether the value outlives the page. */
    set(name: string, value: string): boolean {
      inMemory.set(name, value);
      try {
        storage?.setItem(name, value);
      } catch {
        return false;
      }
      if (storage) inMemory.delete(name);
      return storage !== undefined;
    },
    remove(name: string): void {
      inMemory.delete(name);
      storage?.removeItem(name);
    },
    names: (): readonly string[] => [
      ...new Set([...inMemory.keys(), ...Object.keys(storage ?? {})]),
    ],
  };
}

export const local = storageOf(() => localStorage);

export const session = storageOf(() => sessionStorage);

/** Ends a message about a value that does not outlive the page. */
export const NOT_KEPT = 'until this page is closed: storage is full or blocked';

/** A list of named values in local storage. */
export function storedList<Item extends { readonly name: string }>(storageName: string) {
  const changes = createChanges();
  let lastRead: { readonly text: string; readonly items: readonly Item[] } | undefined;
  /** Returns the same array until the list changes. */
  const read = (): readonly Item[] => {
    const text = local.get(storageName) ?? '[]';
    if (lastRead?.text !== text) {
      const stored = orUndefined(() => JSON.parse(text) as unknown);
      lastRead = { text, items: Array.isArray(stored) ? (stored as Item[]) : [] };
    }
    return lastRead.items;
  };
  const write = (items: readonly Item[]): boolean => {
    const isKept = local.set(storageName, JSON.stringify(items));
    changes.notify();
    return isKept;
  };
  const others = (name: string) => read().filter((one) => one.name !== name);
  return {
    read,
    useItems: () => changes.useValue(read),
    /** Adds an item, or replaces the one of the same name. Returns whether it outlives the page. */
    save: (item: Item): boolean => write([...others(item.name), item]),
    remove: (name: string): void => void write(others(name)),
  };
}
