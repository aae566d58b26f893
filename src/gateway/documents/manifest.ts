/**
 * Manifests of an app's documents: id → text, as codegen, Apollo's and Relay's tools write them.
 *
 * Codegen's and Relay's are plain maps. Apollo's is a list of operations under a format's name.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { SHA256_HEX, SHA256_PREFIX } from '../operation/params.ts';

/** The message says what is wrong, and never repeats a document. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

const TEXT_BY_ID = z.record(z.string().min(1), z.string().min(1));

const APOLLO = z.object({
  format: z.literal(APOLLO_FORMAT),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});

/** Ends the name of what `documents:check` writes beside a manifest. */
export const PRICES_SUFFIX = '.prices.json';

/** Whether a file of the folder holds documents: a name of an app's version, and `.json`. */
export const isManifestName = (name: string): boolean =>
  name.endsWith('.json') && !name.endsWith(PRICES_SUFFIX) && !name.startsWith('.');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Reads a manifest: texts by their ids, ids of the form `sha256:…` without that prefix.
 *
 * @throws {ManifestError} for what is none of the three formats, or holds an id twice or a wrong hash.
 */
export function readManifest(json: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [given, text] of entriesOf(parse(json))) {
    const id = given.startsWith(SHA256_PREFIX) ? given.slice(SHA256_PREFIX.length) : given;
    if (texts.has(id) && texts.get(id) !== text) {
      throw new ManifestError(`The id ${shown(id)} stands for two documents.`);
    }
    // A text that was changed after it was hashed is another document than the app was built with.
    if (SHA256_HEX.test(id) && sha256(text) !== id) {
      throw new ManifestError(`The id ${shown(id)} is not the SHA-256 of its document.`);
    }
    texts.set(id, text);
  }
  return texts;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(json));
  } catch {
    throw new ManifestError('It is not JSON.');
  }
}

function entriesOf(manifest: unknown): readonly (readonly [id: string, text: string])[] {
  const apollo = APOLLO.safeParse(manifest);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body]);
  // It would pass for a map with the id "format".
  if (manifest !== null && typeof manifest === 'object' && 'operations' in manifest) {
    throw new ManifestError(`It is not version 1 of ${APOLLO_FORMAT}.`);
  }
  const map = TEXT_BY_ID.safeParse(manifest);
  if (!map.success) {
    throw new ManifestError(`It is neither a map of ids to documents nor ${APOLLO_FORMAT}.`);
  }
  return Object.entries(map.data);
}

const shown = (id: string): string => JSON.stringify(id.slice(0, 80));
