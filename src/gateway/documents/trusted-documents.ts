/**
 * Trusted documents: the documents of registered apps, read from a folder of manifests and looked up by id.
 *
 * Documents sent by callers are never stored. The whole folder is read again when it changes. While it has a bad file,
 * the last good set is served.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { OperatorError } from '../../lib/operator-error.ts';
import { clientError } from '../operation/client-error.ts';
import type { Document } from '../operation/document.ts';
import { OTHER_APP, type AppVersion, type Operation } from '../operation/operation.ts';
import { SHA256_PREFIX, type OperationParams } from '../operation/params.ts';
import type { Policy } from '../policy.ts';
import type { Documents } from './documents.ts';
import {
  appVersionOf,
  isManifestName,
  ManifestError,
  readManifest,
  sha256,
  withoutPrefix,
} from './manifest.ts';

export interface TrustedDocumentsOptions {
  /** Folder with one manifest per version of an app. */
  readonly folder: string;
  /** Whether every other document is rejected. */
  readonly only: boolean;
  /** Interval between checks of the folder, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
}

/** Why the folder's current state is not served. */
interface BadFile {
  /** File name; `.` for the folder itself. */
  readonly file: string;
  readonly reason: string;
}

export class TrustedDocumentsError extends OperatorError {
  override readonly name = 'TrustedDocumentsError';
  readonly bad: BadFile;

  constructor(bad: BadFile) {
    super(`TRUSTED_DOCUMENTS: bad file ${bad.file}: ${bad.reason} Fix or remove it.`);
    this.bad = bad;
  }
}

/** Documents of one reading of the folder. */
const trustedSet = (files: readonly string[]) => ({
  files,
  byText: new Map<string, Document>(),
  /** By the ids of manifests, and by hash. */
  byId: new Map<string, Document>(),
  /** Versions of apps whose manifests contain a document. */
  appsOf: new Map<Document, readonly AppVersion[]>(),
});

export const POLL_MS = 2_000;

const UNREADABLE = 'Cannot be read.';

type ClientNames = Pick<Operation, 'clientName' | 'clientVersion'>;

/**
 * Apps and versions of manifests, one object for each pair. Each name is a series in metrics, so names without a
 * manifest are `other`.
 */
class AppVersions {
  readonly #known = new Map<string, AppVersion>();

  ofManifest(file: string): AppVersion {
    const { app, version } = appVersionOf(file);
    // Also for callers who send a version without a manifest.
    this.#add(app, OTHER_APP.version);
    return this.#add(app, version);
  }

  /**
   * The app and version that a caller sends, if a manifest has them; without these headers, those of its document.
   *
   * @param found manifests that contain the document.
   */
  of({ clientName, clientVersion }: ClientNames, found: readonly AppVersion[]): AppVersion {
    if (typeof clientName === 'string') return this.#find(clientName, clientVersion);
    const [first = OTHER_APP] = found;
    if (found.length < 2) return first;
    return found.every(({ app }) => app === first.app) ? this.#find(first.app) : OTHER_APP;
  }

  #add(app: string, version: string): AppVersion {
    const key = `${app}\n${version}`;
    const added = this.#known.get(key) ?? { app, version };
    this.#known.set(key, added);
    return added;
  }

  #find(app: string, version = OTHER_APP.version): AppVersion {
    const known = this.#known.get(`${app}\n${version}`);
    return known ?? this.#known.get(`${app}\n${OTHER_APP.version}`) ?? OTHER_APP;
  }
}

export class TrustedDocuments {
  readonly #options: TrustedDocumentsOptions;
  readonly #documents: Pick<Documents, 'prepare'>;
  readonly #logger: Logger;
  readonly #apps = new AppVersions();
  #served = trustedSet([]);
  #signature: string | undefined;
  #bad: BadFile | null = null;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: TrustedDocumentsOptions,
    documents: Pick<Documents, 'prepare'>,
    logger: Logger,
  ) {
    this.#options = options;
    this.#documents = documents;
    this.#logger = logger;
  }

  /**
   * Reads the folder and starts polling it.
   *
   * @throws {TrustedDocumentsError} for a bad file, since there is no good set yet.
   */
  async open(): Promise<void> {
    await this.refresh();
    if (this.#bad) throw new TrustedDocumentsError(this.#bad);
    // Polled because mounted folders, such as those of a ConfigMap, emit no events.
    const { pollMs = POLL_MS } = this.#options;
    this.#timer = setInterval(() => void this.refresh(), pollMs).unref();
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
   * Returns the trusted document of a request; undefined for an untrusted query if these are allowed.
   *
   * @throws PERSISTED_QUERY_NOT_FOUND for an unknown id, TRUSTED_DOCUMENT_REQUIRED for a rejected query, BAD_REQUEST if
   * id and query do not match.
   */
  find({ query, documentId }: OperationParams): Document | undefined {
    const found =
      documentId === undefined ? undefined : this.#served.byId.get(withoutPrefix(documentId));
    if (query === '' && documentId !== undefined) {
      if (found) return found;
      // Clients of Apollo and urql match this message and send the query next.
      throw clientError(200, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    }
    if (documentId !== undefined) checkAgreement(documentId, query, found);
    const trusted = found ?? this.#served.byText.get(query);
    if (trusted || !this.#options.only) return trusted;
    throw clientError(
      400,
      'TRUSTED_DOCUMENT_REQUIRED',
      'Only trusted documents are served. Send the `documentId` of a registered document.',
    );
  }

  /** Whether a query needs no parsing: it is trusted, or will be rejected. */
  has(query: string): boolean {
    return this.#options.only || this.#served.byText.has(query);
  }

  /** Returns the app and version of a caller. @param found its trusted document. */
  appOf(caller: ClientNames, found: Document | undefined): AppVersion {
    return this.#apps.of(caller, (found && this.#served.appsOf.get(found)) ?? []);
  }

  /** State in `/ready`. */
  report() {
    const { files, byText } = this.#served;
    return {
      files: files.length,
      documents: byText.size,
      // Invalid against the schema: their result is their validation errors.
      invalid: [...byText.values()].filter(({ errors }) => errors.length > 0).length,
      /** Null if the folder's current state is served. */
      bad: this.#bad,
    };
  }

  async #refresh(): Promise<void> {
    const signature = await signatureOf(this.#options.folder);
    // An unreadable file may have become readable without a change of its signature.
    if (signature === this.#signature && this.#bad?.reason !== UNREADABLE) return;
    this.#signature = signature;
    try {
      this.#served = await this.#read();
      this.#bad = null;
      const { files, documents } = this.report();
      this.#logger.info({ files, documents }, 'Trusted documents loaded');
    } catch (error) {
      const isBadFile = error instanceof TrustedDocumentsError;
      const bad = isBadFile ? error.bad : { file: '.', reason: UNREADABLE };
      // At the start there is no good set yet.
      if (this.#timer && !isDeepStrictEqual(bad, this.#bad)) {
        this.#logger.error(bad, 'Bad file in TRUSTED_DOCUMENTS: still serving the last good set');
      }
      this.#bad = bad;
    }
  }

  /** @throws {TrustedDocumentsError} */
  async #read() {
    const { folder } = this.#options;
    const files = (await readdir(folder)).filter(isManifestName).sort();
    const read = trustedSet(files);
    const { byText, byId, appsOf } = read;
    const fileOf = new Map<string, string>();
    const invalid: { readonly file: string; readonly id: string; readonly reason: string }[] = [];
    for (const file of files) {
      const app = this.#apps.ofManifest(file);
      for (const [id, text] of await readFileOf(folder, file)) {
        const other = byId.get(id);
        if (other && other.text !== text) {
          const reason = `Id ${JSON.stringify(id.slice(0, 80))} is a different document in ${fileOf.get(id)}.`;
          throw new TrustedDocumentsError({ file, reason });
        }
        let document = byText.get(text) ?? this.#served.byText.get(text);
        if (!document) {
          document = this.#documents.prepare(text);
          const reason = document.errors[0]?.message;
          if (reason !== undefined) invalid.push({ file, id, reason });
          // Other requests are served between documents.
          await turn();
        }
        byText.set(text, document);
        byId.set(id, document);
        byId.set(document.hash!, document);
        const apps = appsOf.get(document) ?? [];
        if (!apps.includes(app)) appsOf.set(document, [...apps, app]);
        fileOf.set(id, file);
      }
    }
    for (const one of invalid) {
      this.#logger.warn(one, 'Trusted document is not valid against the schema');
    }
    return read;
  }
}

/** Signature of names, sizes, times and inodes, which differs after a change. */
async function signatureOf(folder: string): Promise<string> {
  try {
    const files = (await readdir(folder)).filter(isManifestName).sort();
    const stats = await Promise.all(files.map((file) => stat(join(folder, file))));
    return JSON.stringify(
      stats.map(({ size, mtimeMs, ctimeMs, ino }, i) => [files[i], size, mtimeMs, ctimeMs, ino]),
    );
  } catch {
    // The mount may be temporarily missing, or a file was removed meanwhile.
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

/**
 * Checks the id of a request if there are no trusted documents.
 *
 * @throws PERSISTED_QUERY_NOT_SUPPORTED for an id without a query, BAD_REQUEST for the hash of another query.
 */
function checkNoId({ query, documentId }: OperationParams): void {
  if (documentId === undefined) return;
  if (query !== '') checkAgreement(documentId, query, undefined);
  // Clients of Apollo and urql match this message and send only queries afterwards.
  else throw clientError(200, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
}

/** @throws BAD_REQUEST */
function checkAgreement(documentId: string, query: string, found: Document | undefined): void {
  const agrees = found
    ? found.text === query
    : !documentId.startsWith(SHA256_PREFIX) || sha256(query) === withoutPrefix(documentId);
  if (agrees) return;
  throw clientError(
    400,
    'BAD_REQUEST',
    'The `documentId` does not match the `query`. Send one of them, or the hash of the query.',
  );
}

/** The policy: looks up trusted documents by id, and optionally rejects all others. */
export const trustedDocuments = (trusted: TrustedDocuments | undefined): Policy => ({
  onParse(operation, params) {
    // Chosen by the transport.
    if (operation.document) return undefined;
    if (!trusted) {
      checkNoId(params);
      return undefined;
    }
    operation.app = trusted.appOf(operation, undefined);
    const found = trusted.find(params);
    if (found) operation.app = trusted.appOf(operation, found);
    return found;
  },
});
