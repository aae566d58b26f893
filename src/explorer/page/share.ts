/**
 * A document in a link: behind the `#`, which browsers send to no server. Never with a key.
 */
export interface SharedDocument {
  readonly query: string;
  readonly variables: string;
}

const PREFIX = '#document=';

export function linkTo(document: SharedDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const text = btoa(String.fromCharCode(...bytes));
  return `${location.origin}${location.pathname}${PREFIX}${encodeURIComponent(text)}`;
}

/** The document in the page's address; undefined when there is none that can be read. */
export function readLink(hash: string): SharedDocument | undefined {
  if (!hash.startsWith(PREFIX)) return undefined;
  try {
    const text = atob(decodeURIComponent(hash.slice(PREFIX.length)));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { query, variables } = JSON.parse(new TextDecoder().decode(bytes)) as SharedDocument;
    return { query: String(query), variables: String(variables) };
  } catch {
    return undefined;
  }
}
