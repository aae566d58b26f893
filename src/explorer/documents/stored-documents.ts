/** Documents outside of the editors: open ones in GraphiQL's storage, saved ones, and links. */
import type { TabsState } from '@graphiql/react';
import type { Storage } from '@graphiql/toolkit';
import { applyEdits, modify } from 'jsonc-parser';
import { orUndefined } from '../../lib/or-undefined.ts';
import { objectIn } from '../exchange/json.ts';
import { local, session, storedList } from '../state.ts';

export interface OpenDocument {
  readonly query: string;
  readonly variables: string;
  /** @default those of the environment in use */
  readonly headers?: string | null | undefined;
}

const PREFIX = 'graphiql:';
const OF_A_TAB = new Set(
  ['tabState', 'query', 'variables', 'operationName'].map((name) => PREFIX + name),
);

/** Entries with headers, which may be secrets. */
const WITH_HEADERS = new Set(['queries', 'favorites', 'tabState'].map((name) => PREFIX + name));

const CREDENTIAL = /auth|cookie|credential|key|password|secret|session|token/i;

export interface StoredTab {
  readonly headers: string | null;
  /** Names of credentials that are missing in the headers. */
  readonly missing?: readonly string[];
}

/**
 * Open documents in session storage, the rest in local storage: in local storage alone, two tabs of the browser would
 * overwrite each other's documents. A new tab starts with the documents that were open last.
 */
export const tabStorage: Storage = {
  get length() {
    return local.names().length;
  },
  getItem: (name) => (OF_A_TAB.has(name) ? session.get(name) : null) ?? local.get(name),
  setItem(name, value) {
    // The headers of the tab in view, which are those of its entry in the tabs.
    if (name === `${PREFIX}headers`) return;
    if (OF_A_TAB.has(name)) session.set(name, isTabs(name) ? withoutCredentials(value) : value);
    local.set(name, WITH_HEADERS.has(name) ? withoutHeaders(value) : value);
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

const isTabs = (name: string): boolean => name === `${PREFIX}tabState`;

const withoutHeaders = (json: string): string =>
  JSON.stringify(JSON.parse(json), (key, value: unknown) => (key === 'headers' ? null : value));

const withoutCredentials = (json: string): string =>
  JSON.stringify(JSON.parse(json), (_key, value: Partial<StoredTab> | string | number | null) => {
    if (typeof value !== 'object' || !value?.headers) return value;
    const missing = Object.keys(objectIn(value.headers)).filter((name) => CREDENTIAL.test(name));
    const headers = missing.reduce(
      (text, name) => applyEdits(text, modify(text, [name], undefined, {})),
      value.headers,
    );
    return { ...value, headers, ...(missing.length > 0 && { missing }) };
  });

/** The document that was open last; undefined on a first visit, and if the editor was left empty. */
export const lastDocument = (): OpenDocument | undefined =>
  orUndefined(() => {
    const { tabs, activeTabIndex } = JSON.parse(
      tabStorage.getItem(`${PREFIX}tabState`) ?? '',
    ) as TabsState;
    const { query, variables, headers } = tabs[activeTabIndex]!;
    return query?.trim() ? { query, variables: variables ?? '', headers } : undefined;
  });

const FRAGMENT = '#document=';

/** A link with the document in its fragment, which browsers do not send to servers. A link has no key. */
export function linkTo(document: OpenDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  // One by one: functions take a limited number of arguments.
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `${location.origin}${location.pathname}${FRAGMENT}${encodeURIComponent(text)}`;
}

/** Takes the document from the page's URL, where it would replace the user's changes on a reload. */
export function takeLink(): OpenDocument | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(FRAGMENT)) return undefined;
  history.replaceState(null, '', pathname + search);
  return orUndefined(() => {
    const text = atob(decodeURIComponent(hash.slice(FRAGMENT.length)));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { query, variables = '' } = JSON.parse(
      new TextDecoder().decode(bytes),
    ) as Partial<OpenDocument>;
    // Links come from anyone.
    const isText = typeof query === 'string' && typeof variables === 'string';
    return isText ? { query, variables } : undefined;
  });
}

interface SavedDocument {
  readonly name: string;
  readonly document: string;
  readonly variables: string;
}

/** Documents that the user has saved in this browser, without headers and keys. */
export const savedDocuments = storedList<SavedDocument>('content-pages:saved-documents');

/** Whether saving a document would replace a different one of the same name. */
export const wouldReplace = ({ name, document, variables }: SavedDocument): boolean =>
  savedDocuments
    .read()
    .some((one) => one.name === name && (one.document !== document || one.variables !== variables));
