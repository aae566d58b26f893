/**
 * Documents that the user has saved in this browser, without headers and keys.
 */
interface SavedDocument {
  readonly name: string;
  readonly document: string;
  readonly variables: string;
}

const NAME = 'content-pages:saved-documents';

export function readSaved(): readonly SavedDocument[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(saved) ? (saved as SavedDocument[]) : [];
  } catch {
    return [];
  }
}

/** Saves a document; one of the same name is replaced. */
export function save(one: SavedDocument): void {
  write([...readSaved().filter(({ name }) => name !== one.name), one]);
}

export function forget(name: string): void {
  write(readSaved().filter((one) => one.name !== name));
}

function write(saved: readonly SavedDocument[]): void {
  localStorage.setItem(NAME, JSON.stringify(saved));
}
