/**
 * Manifests of an app's documents (id → text), as written by the tools of codegen, Apollo and Relay.
 *
 * Codegen's and Relay's are plain maps. Apollo's has a format name and a list of operations.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { SHA256_HEX, SHA256_PREFIX } from '../operation/params.ts';

/** An invalid manifest. The message never contains the text of a document. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

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

/** Suffix of the file that `documents:check` writes beside a manifest. */
export const PRICES_SUFFIX = '.prices.json';

/** Whether a file name is that of a manifest: an app's version and `.json`. */
export const isManifestName = (name: string): boolean =>
  name.endsWith('.json') && !name.endsWith(PRICES_SUFFIX) && !name.startsWith('.');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Parses a manifest into texts by id. The prefix `sha256:` of ids is removed.
 *
 * @throws {ManifestError} for an unknown format, a duplicate id, or an id that is not the hash of its text.
 */
export function readManifest(json: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [given, text] of entriesOf(parse(json))) {
    const id = given.startsWith(SHA256_PREFIX) ? given.slice(SHA256_PREFIX.length) : given;
    if (texts.has(id) && texts.get(id) !== text) {
      throw new ManifestError(`Id ${shown(id)} is used by two documents.`);
    }
    // A changed text is not the document that the app was built with.
    if (SHA256_HEX.test(id) && sha256(text) !== id) {
      throw new ManifestError(`Id ${shown(id)} is not the SHA-256 of its document.`);
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

const shown = (id: string): string => JSON.stringify(id.slice(0, 80));
