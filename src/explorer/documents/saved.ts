/**
 * Documents that the user has saved in this browser, without headers and keys.
 */
import { local } from '../storage.ts';

interface SavedDocument {
  readonly name: string;
  readonly document: string;
  readonly variables: string;
}

const NAME = 'content-pages:saved-documents';

export function readSaved(): readonly SavedDocument[] {
  try {
    const saved: unknown = JSON.parse(local.get(NAME) ?? '[]');
    return Array.isArray(saved) ? (saved as SavedDocument[]) : [];
  } catch {
    return [];
  }
}

/** Whether saving a document would replace another one of its name. */
export const wouldReplace = ({ name, document, variables }: SavedDocument): boolean =>
  readSaved().some(
    (one) => one.name === name && (one.document !== document || one.variables !== variables),
  );

/** Saves a document; one of the same name is replaced. Returns whether it outlives the page. */
export function save(one: SavedDocument): boolean {
  return write([...readSaved().filter(({ name }) => name !== one.name), one]);
}

export function forget(name: string): void {
  write(readSaved().filter((one) => one.name !== name));
}

const write = (saved: readonly SavedDocument[]): boolean => local.set(NAME, JSON.stringify(saved));
