/**
 * The browser's storages. What they refuse, as they are blocked or full, is kept in memory until the page is closed.
 */
interface PageStorage {
  get(name: string): string | null;
  /** Returns whether the value outlives the page. */
  set(name: string, value: string): boolean;
  remove(name: string): void;
  names(): readonly string[];
}

/** @param open throws where the browser blocks the storage, as with all cookies off. */
function storageOf(open: () => Storage): PageStorage {
  const inMemory = new Map<string, string>();
  let storage: Storage | undefined;
  try {
    storage = open();
  } catch {
    // Everything is kept in memory.
  }
  return {
    get: (name) => inMemory.get(name) ?? storage?.getItem(name) ?? null,
    set(name, value) {
      inMemory.set(name, value);
      try {
        storage?.setItem(name, value);
      } catch {
        return false;
      }
      if (storage) inMemory.delete(name);
      return storage !== undefined;
    },
    remove(name) {
      inMemory.delete(name);
      storage?.removeItem(name);
    },
    names: () => [...new Set([...inMemory.keys(), ...Object.keys(storage ?? {})])],
  };
}

/** Kept until the user clears it. */
export const local = storageOf(() => localStorage);

/** Kept until the tab is closed. */
export const session = storageOf(() => sessionStorage);

/** What to say of a value that does not outlive the page. */
export const NOT_KEPT = 'until this page is closed: storage is full or blocked';
