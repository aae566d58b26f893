/**
 * Trusted documents: what apps were built with, read from a folder and found by id.
 *
 * The folder is all there is: nothing that callers send is stored. It is read again when it changes,
 * and a file that cannot be read leaves the documents of its last good content in place.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { refusal } from '../reply/refusal.ts';
import type { Reply } from '../reply/reply.ts';
import type { KnownDocument } from './documents.ts';
import { isManifestName, ManifestError, readManifest, sha256 } from './manifest.ts';
import { SHA256_PREFIX, type OperationParams } from './params.ts';

export interface TrustedDocumentsOptions {
  /** One manifest an app's version. */
  readonly folder: string;
  /** Whether every other document is refused. @default false */
  readonly only?: boolean;
  /** How often the folder is looked at, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
}

export interface TrustedDocument {
  readonly text: string;
  /** The refusal of a document that does not parse or exceeds a limit. */
  readonly known: KnownDocument | Reply;
}

/** What `/ready` tells of them. */
export interface TrustedReport {
  readonly files: number;
  readonly documents: number;
  /** Documents that the schema does not serve: they answer their errors. */
  readonly invalid: number;
  /** Files whose last good content is served, or none. */
  readonly bad: readonly BadFile[];
}

export interface BadFile {
  readonly file: string;
  readonly reason: string;
}

/** Each is called once for each change. */
export interface TrustedObserver {
  onRead?(report: TrustedReport): void;
  onBadFile?(bad: BadFile): void;
  onInvalidDocument?(of: {
    readonly file: string;
    readonly id: string;
    readonly reason: string;
  }): void;
}

/** Parses and validates a document, and works out what does not change from one request to the next. */
type Prepare = (text: string) => KnownDocument | Reply;

interface ManifestFile {
  /** Size, times and inode, as they were when it was read. */
  readonly signature: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly bad: string | undefined;
}

/** Which file has given an id its document. */
interface Owner {
  readonly text: string;
  readonly file: string;
}

/** How long documents are prepared at a stretch, in milliseconds: requests wait meanwhile. */
const SLICE_MS = 10;

export class TrustedDocuments {
  readonly only: boolean;
  readonly #folder: string;
  readonly #pollMs: number;
  readonly #prepare: Prepare;
  readonly #observer: TrustedObserver;
  #files: ReadonlyMap<string, ManifestFile> = new Map();
  #byText = new Map<string, TrustedDocument>();
  #byId = new Map<string, TrustedDocument>();
  #byHash = new Map<string, TrustedDocument>();
  /** Why the folder itself cannot be read. */
  #unreadable: string | undefined;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { folder, only = false, pollMs = 2_000 }: TrustedDocumentsOptions,
    prepare: Prepare,
    observer: TrustedObserver,
  ) {
    this.only = only;
    this.#folder = folder;
    this.#pollMs = pollMs;
    this.#prepare = prepare;
    this.#observer = observer;
  }

  /**
   * Reads the folder, and looks at it from now on.
   *
   * @throws when there is no such folder.
   */
  async open(): Promise<void> {
    await readdir(this.#folder);
    await this.refresh();
    // Files are looked at because mounted folders, such as a ConfigMap's, send no events.
    this.#timer = setInterval(() => void this.refresh(), this.#pollMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads what has changed; never rejects. */
  refresh(): Promise<void> {
    return (this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    }));
  }

  /**
   * The document that is meant; undefined where a text was sent and texts are allowed.
   *
   * @throws PERSISTED_QUERY_NOT_FOUND for an id that is in no file, TRUSTED_DOCUMENT_REQUIRED for a text
   * where only trusted ones are served, BAD_REQUEST where id and text are of two documents.
   */
  find({ query, documentId }: OperationParams): TrustedDocument | undefined {
    const found = documentId === undefined ? undefined : this.#withId(documentId);
    if (query === undefined) {
      if (found) return found;
      // Apollo's and urql's clients look for this very message, and send the text next.
      throw refusal(200, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    }
    if (documentId !== undefined) checkAgreement(documentId, query, found);
    if (found || !this.only) return found;
    const trusted = this.#byText.get(query);
    if (trusted) return trusted;
    throw refusal(
      400,
      'TRUSTED_DOCUMENT_REQUIRED',
      'This gateway serves trusted documents only: send the "documentId" of one that it was given.',
    );
  }

  report(): TrustedReport {
    const bad = [...this.#files].flatMap(([file, { bad }]) =>
      bad === undefined ? [] : [{ file, reason: bad }],
    );
    return {
      files: this.#files.size,
      documents: this.#byText.size,
      invalid: [...this.#byText.values()].filter(({ known }) => invalidityOf(known)).length,
      bad: this.#unreadable === undefined ? bad : [{ file: '.', reason: this.#unreadable }, ...bad],
    };
  }

  #withId(documentId: string): TrustedDocument | undefined {
    if (!documentId.startsWith(SHA256_PREFIX)) {
      return this.#byId.get(documentId) ?? this.#byHash.get(documentId);
    }
    const hash = documentId.slice(SHA256_PREFIX.length);
    return this.#byHash.get(hash) ?? this.#byId.get(hash);
  }

  async #refresh(): Promise<void> {
    let files: Map<string, ManifestFile>;
    try {
      files = await this.#readFolder();
      this.#unreadable = undefined;
    } catch {
      // It may be a mount that is away for a moment: what was read stays.
      if (this.#unreadable === undefined) {
        this.#unreadable = 'The folder cannot be read.';
        this.#observer.onBadFile?.({ file: '.', reason: this.#unreadable });
      }
      return;
    }
    const isSame =
      files.size === this.#files.size &&
      [...files].every(([name, file]) => this.#files.get(name) === file);
    if (!isSame) await this.#serve(files);
  }

  async #readFolder(): Promise<Map<string, ManifestFile>> {
    const names = (await readdir(this.#folder)).filter(isManifestName).sort();
    const read: [name: string, file: ManifestFile][] = [];
    for (const name of names) read.push([name, await this.#readFile(name)]);
    // What is served goes first: of two files that disagree, the newcomer is the bad one.
    const isServed = ([name, file]: (typeof read)[number]) => this.#files.get(name) === file;
    const ordered = [...read.filter(isServed), ...read.filter((one) => !isServed(one))];
    const files = new Map<string, ManifestFile>();
    const owners = new Map<string, Owner>();
    for (const [name, given] of ordered) {
      const before = this.#files.get(name);
      const file = withoutConflict(given, owners, before);
      files.set(name, file);
      for (const [id, text] of file.texts) owners.set(id, { text, file: name });
      if (file !== before && file.bad !== undefined) {
        this.#observer.onBadFile?.({ file: name, reason: file.bad });
      }
    }
    return files;
  }

  async #readFile(name: string): Promise<ManifestFile> {
    const before = this.#files.get(name);
    let signature = 'unreadable';
    try {
      const path = join(this.#folder, name);
      const { size, mtimeMs, ctimeMs, ino } = await stat(path);
      signature = [size, mtimeMs, ctimeMs, ino].join(' ');
      // A bad one is read again: the file that it disagreed with may have changed.
      if (before?.signature === signature && before.bad === undefined) return before;
      return { signature, texts: readManifest(await readFile(path, 'utf8')), bad: undefined };
    } catch (error) {
      const bad = error instanceof ManifestError ? error.message : 'It cannot be read.';
      return asBad(signature, bad, before);
    }
  }

  /** Prepares what is new, then serves all of it at once. */
  async #serve(files: ReadonlyMap<string, ManifestFile>): Promise<void> {
    const byText = new Map<string, TrustedDocument>();
    const byId = new Map<string, TrustedDocument>();
    const byHash = new Map<string, TrustedDocument>();
    let sliceEnds = performance.now() + SLICE_MS;
    for (const [file, { texts }] of files) {
      for (const [id, text] of texts) {
        let document = byText.get(text) ?? this.#byText.get(text);
        if (!document) {
          if (performance.now() > sliceEnds) {
            await turn();
            sliceEnds = performance.now() + SLICE_MS;
          }
          document = { text, known: this.#prepare(text) };
          const reason = invalidityOf(document.known)?.body.errors?.[0]?.message;
          if (reason !== undefined) this.#observer.onInvalidDocument?.({ file, id, reason });
        }
        byText.set(text, document);
        byId.set(id, document);
        byHash.set(sha256(text), document);
      }
    }
    this.#files = files;
    this.#byText = byText;
    this.#byId = byId;
    this.#byHash = byHash;
    this.#observer.onRead?.(this.report());
  }
}

/** For a gateway without trusted documents: texts alone are served, and hashes of another text refused. */
export function refuseId({ query, documentId }: OperationParams): void {
  if (documentId === undefined) return;
  if (query !== undefined) checkAgreement(documentId, query, undefined);
  // Apollo's and urql's clients look for this very message, and send texts from then on.
  else throw refusal(200, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

/** A file whose ids all stand for what they stand for in the files before it; otherwise a bad one. */
function withoutConflict(
  file: ManifestFile,
  owners: ReadonlyMap<string, Owner>,
  before: ManifestFile | undefined,
): ManifestFile {
  for (const [id, text] of file.texts) {
    const owner = owners.get(id);
    if (owner && owner.text !== text) {
      const bad = `Its id ${JSON.stringify(id.slice(0, 80))} is another document in ${owner.file}.`;
      return asBad(file.signature, bad, before);
    }
  }
  return file;
}

/** With the last good content; the same object for the same fault, so that it is logged once. */
function asBad(signature: string, bad: string, before: ManifestFile | undefined): ManifestFile {
  if (before && before.signature === signature && before.bad === bad) return before;
  return { signature, texts: before?.texts ?? new Map<string, string>(), bad };
}

/** @throws BAD_REQUEST */
function checkAgreement(
  documentId: string,
  query: string,
  found: TrustedDocument | undefined,
): void {
  const isHash = documentId.startsWith(SHA256_PREFIX);
  const agrees = found
    ? found.text === query
    : !isHash || sha256(query) === documentId.slice(SHA256_PREFIX.length);
  if (agrees) return;
  throw refusal(
    400,
    'BAD_REQUEST',
    'The id is of another document than the text: send one of them, or the hash of the text.',
  );
}

/** Undefined for a sound document. */
const invalidityOf = (known: KnownDocument | Reply): Reply | undefined =>
  'refusal' in known ? (known.refusal ?? undefined) : known;
