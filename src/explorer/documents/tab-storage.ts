/**
 * GraphiQL's storage: open documents in session storage, the rest in local storage.
 *
 * In local storage alone, two tabs of the browser would overwrite each other's documents. A new tab begins with the
 * documents that were open last.
 */
import { local, session } from '../storage.ts';

const PREFIX = 'graphiql:';
const OF_A_TAB = new Set(
  ['tabState', 'query', 'variables', 'operationName'].map((name) => PREFIX + name),
);

/** Entries of the history, whose headers may be secrets. */
const WITH_HEADERS = new Set(['queries', 'favorites'].map((name) => PREFIX + name));

export const tabStorage: Storage = {
  get length() {
    return local.names().length;
  },
  key: (index) => local.names()[index] ?? null,
  getItem: (name) => (OF_A_TAB.has(name) ? session.get(name) : null) ?? local.get(name),
  setItem(name, given) {
    const value = WITH_HEADERS.has(name) ? withoutHeaders(given) : given;
    if (OF_A_TAB.has(name)) session.set(name, value);
    local.set(name, value);
  },
  removeItem(name) {
    session.remove(name);
    local.remove(name);
  },
  clear() {
    for (const storage of [session, local])
      for (const name of storage.names()) if (name.startsWith(PREFIX)) storage.remove(name);
  },
};

const withoutHeaders = (json: string): string =>
  JSON.stringify(JSON.parse(json), (key, value: unknown) =>
    key === 'headers' ? undefined : value,
  );

export interface OpenDocument {
  readonly query: string;
  readonly variables: string;
}

/** The document that was open last; undefined on a first visit, and where the editor was left empty. */
export function lastDocument(): OpenDocument | undefined {
  try {
    const { tabs, activeTabIndex } = JSON.parse(
      tabStorage.getItem(`${PREFIX}tabState`) ?? '',
    ) as TabState;
    const tab = tabs[activeTabIndex];
    return tab?.query?.trim() ? { query: tab.query, variables: tab.variables ?? '' } : undefined;
  } catch {
    return undefined;
  }
}

interface TabState {
  readonly tabs: readonly { readonly query: string | null; readonly variables: string | null }[];
  readonly activeTabIndex: number;
}
