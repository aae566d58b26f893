/**
 * Links with a document in their fragment, which browsers do not send to servers. A link has no key.
 */
import type { OpenDocument } from './tab-storage.ts';

const PREFIX = '#document=';

export function linkTo(document: OpenDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  // One by one: functions take some hundred thousand arguments at most.
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `${location.origin}${location.pathname}${PREFIX}${encodeURIComponent(text)}`;
}

/**
 * Removes the document from the page's address and returns it; undefined when there is none that can be read.
 *
 * Left in the address, it would replace the user's changes at a reload.
 */
export function takeLink(): OpenDocument | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(PREFIX)) return undefined;
  history.replaceState(null, '', pathname + search);
  try {
    const text = atob(decodeURIComponent(hash.slice(PREFIX.length)));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { query, variables = '' } = JSON.parse(
      new TextDecoder().decode(bytes),
    ) as Partial<OpenDocument>;
    // Anybody can write a link.
    const isText = typeof query === 'string' && typeof variables === 'string';
    return isText ? { query, variables } : undefined;
  } catch {
    return undefined;
  }
}
