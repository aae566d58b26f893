/**
 * A document in a link: behind the `#`, which browsers send to no server. Never with a key.
 */
import type { OpenDocument } from './tab-storage.ts';

const PREFIX = '#document=';

export function linkTo(document: OpenDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const text = btoa(String.fromCharCode(...bytes));
  return `${location.origin}${location.pathname}${PREFIX}${encodeURIComponent(text)}`;
}

/**
 * The document in the page's address; undefined when there is none that can be read.
 *
 * It is taken out of the address: a reload would undo what was changed since.
 */
export function takeLink(): OpenDocument | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(PREFIX)) return undefined;
  history.replaceState(null, '', pathname + search);
  try {
    const text = atob(decodeURIComponent(hash.slice(PREFIX.length)));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { query, variables } = JSON.parse(new TextDecoder().decode(bytes)) as OpenDocument;
    return { query: String(query), variables: String(variables) };
  } catch {
    return undefined;
  }
}
