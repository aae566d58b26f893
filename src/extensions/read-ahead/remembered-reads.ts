/**
 * The routes and paths that the last run of each screen read after its first round. A screen is a document with its
 * variables, and an API key with its forwarded headers. Its reads are one string, since many small long-lived objects
 * are expensive to collect.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Route } from '../../v0/routes.ts';

export const MAX_BYTES = 8_000_000;

const LARGEST_PART = 1 / 8;

const SCREEN_BYTES = 300;

export type Read = readonly [route: Route, path: string];

export interface Screen {
  /** A line for each read: number of its route, space, path. */
  readonly text: string;
  /** Whether a run prefetches it now; concurrent runs prefetch nothing twice. */
  isRunning: boolean;
}

export class RememberedReads {
  readonly #screens = new LRUCache<string, Screen>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES * LARGEST_PART,
    sizeCalculation: ({ text }) => SCREEN_BYTES + 2 * text.length,
  });
  /** All routes that were read. */
  readonly #routes: Route[] = [];

  find(screenId: string): Screen | undefined {
    return this.#screens.get(screenId);
  }

  readsOf({ text }: Screen): readonly Read[] {
    return text.split('\n').map((line) => {
      const space = line.indexOf(' ');
      return [this.#routes[Number(line.slice(0, space))]!, line.slice(space + 1)];
    });
  }

  /** Replaces the reads of a screen; no reads forget it. */
  remember(screenId: string, reads: readonly Read[]): void {
    if (reads.length === 0) {
      this.#screens.delete(screenId);
      return;
    }
    // A joined text is flat, unlike a concatenated one.
    const text = reads.map(([route, path]) => `${this.#numberOf(route)} ${path}`).join('\n');
    this.#screens.set(screenId, { text, isRunning: false });
  }

  #numberOf(route: Route): number {
    const known = this.#routes.indexOf(route);
    return known === -1 ? this.#routes.push(route) - 1 : known;
  }
}

/**
 * Returns the hash of a screen; undefined for variables of a plugin that are not JSON.
 *
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
