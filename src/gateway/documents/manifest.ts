/**
 * Manifests of an app's documents, as written by codegen, Apollo and Relay: `ios-4.2.json` has those of version 4.2 of
 * `ios`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { OTHER_APP, type AppVersion } from '../operation/operation.ts';
import { SHA256_HEX, SHA256_PREFIX } from '../operation/params.ts';

/** An invalid manifest. The message never contains a document. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

/** The format of codegen and Relay. */
const TEXT_BY_ID = z.record(z.string().min(1), z.string().min(1));

const APOLLO = z.object({
  format: z.literal(APOLLO_FORMAT),
  version: z.literal(1),
  operations: z.union([
    z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
    // By id, as `@replit/graphql-codegen-persisted-queries` writes it.
    z.record(z.string().min(1), z.object({ body: z.string().min(1) })),
  ]),
});

/** Suffix of the file of costs that `documents:check` writes. */
export const PRICES_SUFFIX = '.prices.json';

export const isManifestName = (name: string): boolean =>
  name.endsWith('.json') && !name.endsWith(PRICES_SUFFIX) && !name.startsWith('.');

/** An app's name, then a version that begins with a digit, such as `1.4.0` or `2.0-beta.1`. */
const APP_AND_VERSION = /^(.+)[-_@]v?(\d[\w.+]*(?:-[a-z][\w.]*)*)$/i;

export function appVersionOf(file: string): AppVersion {
  const name = file.slice(0, -'.json'.length);
  const [, app = name, version = OTHER_APP.version] = APP_AND_VERSION.exec(name) ?? [];
  return { app, version };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const withoutPrefix = (id: string): string =>
  id.startsWith(SHA256_PREFIX) ? id.slice(SHA256_PREFIX.length) : id;

/**
 * Parses a manifest into documents by id. The prefix `sha256:` of ids is removed.
 *
 * @throws {ManifestError} for an unknown format, a duplicate id, or an id that is not the hash of its document.
 */
export function readManifest(json: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [given, text] of entriesOf(parse(json))) {
    const id = withoutPrefix(given);
    if (texts.has(id) && texts.get(id) !== text) {
      throw new ManifestError(`Id ${quote(id)} is used by two documents.`);
    }
    // A changed document is not the one that the app was built with.
    if (SHA256_HEX.test(id) && sha256(text) !== id) {
      throw new ManifestError(`Id ${quote(id)} is not the SHA-256 of its document.`);
    }
    texts.set(id, text);
  }
  return texts;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(json));
  } catch {
    throw new ManifestError('Not valid JSON.');
  }
}

function entriesOf(manifest: unknown): readonly (readonly [id: string, text: string])[] {
  const apollo = APOLLO.safeParse(manifest);
  if (apollo.success) {
    const { operations } = apollo.data;
    return Array.isArray(operations)
      ? operations.map(({ id, body }) => [id, body])
      : Object.entries(operations).map(([id, { body }]) => [id, body]);
  }
  // Other versions of the format would be read as a plain map.
  if (manifest !== null && typeof manifest === 'object' && 'operations' in manifest) {
    throw new ManifestError(`Not version 1 of ${APOLLO_FORMAT}.`);
  }
  const map = TEXT_BY_ID.safeParse(manifest);
  if (!map.success) {
    throw new ManifestError(`Neither a map of ids to documents nor ${APOLLO_FORMAT}.`);
  }
  return Object.entries(map.data);
}

const quote = (id: string): string => JSON.stringify(id.slice(0, 80));

export interface Manifest {
  readonly app: string;
  /** File name without `.json`. */
  readonly name: string;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads a folder of manifests synchronously, for commands and start, by name and version: `app-1.10` after `app-1.9`.
 *
 * @throws {Error} for a folder without manifests, and for an invalid manifest.
 */
export function readManifests(folder: string): readonly Manifest[] {
  const files = readdirSync(folder).filter(isManifestName);
  if (files.length === 0) throw new Error(`No manifest found in ${folder}.`);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return files.sort(compare).map((file) => {
    try {
      const texts = readManifest(readFileSync(join(folder, file), 'utf8'));
      return { app: appVersionOf(file).app, name: file.slice(0, -'.json'.length), texts };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${file}: ${reason}`, { cause });
    }
  });
}
