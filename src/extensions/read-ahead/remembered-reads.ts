/**
 * The reads that the last run of each screen made after its first round: routes and paths, nothing of their answers.
 *
 * A screen is a document with its variables, and a key with its forwarded headers.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';

/** Maximum memory, in bytes. */
export const MAX_BYTES = 8_000_000;

/** Maximum share of memory of one screen. */
const LARGEST_PART = 1 / 8;

/** Overhead of a screen, and of a read, in bytes. */
const SCREEN_BYTES = 300;
const READ_BYTES = 100;

export interface Screen {
  /** Routes by path. */
  readonly reads: ReadonlyMap<string, Route>;
  /** Whether a run reads it ahead now; runs at the same moment make no calls twice. */
  isRunning: boolean;
}

export class RememberedReads {
  readonly #screens = new LRUCache<string, Screen>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES * LARGEST_PART,
    sizeCalculation: ({ reads }) => {
      let bytes = SCREEN_BYTES;
      for (const path of reads.keys()) bytes += READ_BYTES + 2 * path.length;
      return bytes;
    },
  });

  find(screenId: string | undefined): Screen | undefined {
    return screenId === undefined ? undefined : this.#screens.get(screenId);
  }

  /** Replaces the reads of a screen; no reads forget it. */
  remember(screenId: string | undefined, reads: ReadonlyMap<string, Route>): void {
    if (screenId === undefined) return;
    if (reads.size === 0) this.#screens.delete(screenId);
    else this.#screens.set(screenId, { reads, isRunning: false });
  }
}

/**
 * Returns the id of a screen: a hash, which has no secret and is short whatever the variables are. Undefined for
 * variables of a plugin that are no JSON.
 *
 * @param operationId without line breaks.
 * @param sharingKey equal for callers that may share responses.
 */
export function screenIdOf(
  operationId: string,
  variables: unknown,
  sharingKey: string,
): string | undefined {
  let text: string;
  try {
    text = JSON.stringify(variables ?? {});
  } catch {
    return undefined;
  }
  return hash('sha256', `${operationId}\n${text}\n${sharingKey}`, 'base64url');
}
