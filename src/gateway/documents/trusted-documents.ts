/**
 * Trusted documents: what apps were built with, read from a folder and found by id.
 *
 * The folder is all there is: nothing that callers send is stored. It is read whole whenever it
 * changes. With one bad file in it, the last good set goes on being served.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setImmediate as turn } from 'node:timers/promises';
import { OperatorError } from '../../lib/operator-error.ts';
import { clientError } from '../operation/client-error.ts';
import type { AppVersion } from '../operation/app-version.ts';
import type { Document } from '../operation/document.ts';
import { AppVersions, type Caller } from './app-versions.ts';
import { isManifestName, ManifestError, readManifest, sha256 } from './manifest.ts';
import { SHA256_PREFIX, type OperationParams } from '../operation/params.ts';

interface TrustedDocumentsOptions {
  /** One manifest an app's version. */
  readonly folder: string;
  /** Whether every other document is rejected. */
  readonly only: boolean;
  /** Time between two looks at the folder, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
}

/** Their part of `/ready`. */
export interface TrustedReport {
  readonly files: number;
  readonly documents: number;
  /** Documents that do not fit the schema: their result is their errors. */
  readonly invalid: number;
  /** The reason why the folder's present state is not served; null where it is. */
  readonly bad: BadFile | null;
}

export interface BadFile {
  /** Its name; `.` for the folder itself. */
  readonly file: string;
  readonly reason: string;
}

/** The first bad file of the folder. */
export class TrustedDocumentsError extends OperatorError {
  override readonly name = 'TrustedDocumentsError';
  readonly bad: BadFile;

  constructor(bad: BadFile) {
    super(`TRUSTED_DOCUMENTS: bad file ${bad.file}: ${bad.reason} Mend it or take it away.`);
    this.bad = bad;
  }
}

/** Each is called once for each change of the folder. */
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
type Prepare = (text: string, hash: string) => Document;

/** The documents of one reading of the folder. */
class TrustedSet {
  readonly files: readonly string[];
  readonly byText = new Map<string, Document>();
  readonly byId = new Map<string, Document>();
  readonly byHash = new Map<string, Document>();
  /** The app's versions that were built with a document. */
  readonly appsOf = new Map<Document, readonly AppVersion[]>();

  constructor(files: readonly string[]) {
    this.files = files;
  }
}

const UNREADABLE = 'It cannot be read.';

export class TrustedDocuments {
  readonly only: boolean;
  readonly #folder: string;
  readonly #pollMs: number;
  readonly #prepare: Prepare;
  readonly #observer: TrustedObserver;
  readonly #apps = new AppVersions();
  #served = new TrustedSet([]);
  /** Whether there is a good set, that of an empty folder included. */
  #hasRead = false;
  /** The folder's, when it was last read. */
  #signature: string | undefined;
  #bad: BadFile | null = null;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { folder, only, pollMs = 2_000 }: TrustedDocumentsOptions,
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
   * @throws {TrustedDocumentsError} for a bad file: there is no good set yet.
   */
  async open(): Promise<void> {
    await this.refresh();
    if (this.#bad) throw new TrustedDocumentsError(this.#bad);
    // Files are looked at because mounted folders, such as a ConfigMap's, send no events.
    this.#timer = setInterval(() => void this.refresh(), this.#pollMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads the folder if it has changed; never rejects. */
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
  find({ query, documentId }: OperationParams): Document | undefined {
    const found = documentId === undefined ? undefined : this.#withId(documentId);
    if (query === '' && documentId !== undefined) {
      if (found) return found;
      // Apollo's and urql's clients look for this very message, and send the text next.
      throw clientError(200, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    }
    if (documentId !== undefined) checkAgreement(documentId, query, found);
    const trusted = found ?? this.#served.byText.get(query);
    if (trusted || !this.only) return trusted;
    throw clientError(
      400,
      'TRUSTED_DOCUMENT_REQUIRED',
      'This gateway serves trusted documents only: send the "documentId" of one that it was given.',
    );
  }

  /** Whether a text is rejected, or trusted: either way nothing is parsed. */
  has(query: string): boolean {
    return this.only || this.#served.byText.has(query);
  }

  /** Which app and version asks. @param found its document, where that is a trusted one. */
  appOf(caller: Caller, found: Document | undefined): AppVersion {
    return this.#apps.of(caller, (found && this.#served.appsOf.get(found)) ?? []);
  }

  /** Served documents, each with the apps that were built with it. */
  get all(): ReadonlyMap<Document, readonly AppVersion[]> {
    return this.#served.appsOf;
  }

  report(): TrustedReport {
    const { files, byText } = this.#served;
    return {
      files: files.length,
      documents: byText.size,
      invalid: [...byText.values()].filter(({ errors }) => errors.length > 0).length,
      bad: this.#bad,
    };
  }

  #withId(documentId: string): Document | undefined {
    if (!documentId.startsWith(SHA256_PREFIX)) {
      return this.#served.byId.get(documentId) ?? this.#served.byHash.get(documentId);
    }
    const hash = documentId.slice(SHA256_PREFIX.length);
    return this.#served.byHash.get(hash) ?? this.#served.byId.get(hash);
  }

  async #refresh(): Promise<void> {
    const signature = await signatureOf(this.#folder);
    // An unreadable file may be readable now, though its signature has not changed.
    if (signature === this.#signature && this.#bad?.reason !== UNREADABLE) return;
    this.#signature = signature;
    try {
      this.#served = await this.#read();
      this.#hasRead = true;
      this.#bad = null;
      this.#observer.onRead?.(this.report());
    } catch (error) {
      const isBadFile = error instanceof TrustedDocumentsError;
      const bad = isBadFile ? error.bad : { file: '.', reason: UNREADABLE };
      if (this.#hasRead && !isDeepStrictEqual(bad, this.#bad)) this.#observer.onBadFile?.(bad);
      this.#bad = bad;
    }
  }

  /** @throws {TrustedDocumentsError} */
  async #read(): Promise<TrustedSet> {
    const files = (await readdir(this.#folder)).filter(isManifestName).sort();
    const read = new TrustedSet(files);
    const { byText, byId, byHash, appsOf } = read;
    const fileOf = new Map<string, string>();
    const invalid: Parameters<NonNullable<TrustedObserver['onInvalidDocument']>>[0][] = [];
    for (const file of files) {
      const app = this.#apps.ofManifest(file);
      for (const [id, text] of await readFileOf(this.#folder, file)) {
        const other = byId.get(id);
        if (other && other.text !== text) {
          const reason = `Its id ${JSON.stringify(id.slice(0, 80))} is another document in ${fileOf.get(id)}.`;
          throw new TrustedDocumentsError({ file, reason });
        }
        let document = byText.get(text) ?? this.#served.byText.get(text);
        if (!document) {
          document = this.#prepare(text, sha256(text));
          const reason = document.errors[0]?.message;
          if (reason !== undefined) invalid.push({ file, id, reason });
          // Requests are served between one document and the next.
          await turn();
        }
        byText.set(text, document);
        byId.set(id, document);
        byHash.set(document.hash!, document);
        const apps = appsOf.get(document) ?? [];
        if (!apps.includes(app)) appsOf.set(document, [...apps, app]);
        fileOf.set(id, file);
      }
    }
    for (const one of invalid) this.#observer.onInvalidDocument?.(one);
    return read;
  }
}

/** Names, sizes, times and inodes: another one where anything may have changed. */
async function signatureOf(folder: string): Promise<string> {
  try {
    const files = (await readdir(folder)).filter(isManifestName).sort();
    const stats = await Promise.all(files.map((file) => stat(join(folder, file))));
    return JSON.stringify(
      stats.map(({ size, mtimeMs, ctimeMs, ino }, i) => [files[i], size, mtimeMs, ctimeMs, ino]),
    );
  } catch {
    // It may be a mount that is away for a moment, or a file that was just taken away.
    return 'unreadable';
  }
}

/** @throws {TrustedDocumentsError} */
async function readFileOf(folder: string, file: string): Promise<ReadonlyMap<string, string>> {
  try {
    return readManifest(await readFile(join(folder, file), 'utf8'));
  } catch (error) {
    const reason = error instanceof ManifestError ? error.message : UNREADABLE;
    throw new TrustedDocumentsError({ file, reason });
  }
}

/** For a gateway without trusted documents. @throws for an id alone, and for the hash of another text. */
export function checkNoId({ query, documentId }: OperationParams): void {
  if (documentId === undefined) return;
  if (query !== '') checkAgreement(documentId, query, undefined);
  // Apollo's and urql's clients look for this very message, and send texts from then on.
  else throw clientError(200, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

/** @throws BAD_REQUEST */
function checkAgreement(documentId: string, query: string, found: Document | undefined): void {
  const isHash = documentId.startsWith(SHA256_PREFIX);
  const agrees = found
    ? found.text === query
    : !isHash || sha256(query) === documentId.slice(SHA256_PREFIX.length);
  if (agrees) return;
  throw clientError(
    400,
    'BAD_REQUEST',
    'The id is of another document than the text: send one of them, or the hash of the text.',
  );
}
