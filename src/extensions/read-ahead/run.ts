/** A run of a query: records the reads after its first round, and prefetches those of the last run if they were used. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { OperationDefinition } from '../../gateway/operation/document.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import type { Call } from '../../rest/call/call.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { Route } from '../../v0/routes.ts';
import { Prefetch, type Read } from './prefetch.ts';

export interface Runs {
  readonly remembered: RememberedReads;
  /** Prefetches of active runs, for the writes of their keys. */
  readonly begun: Set<Prefetches>;
  readonly now: () => number;
}

/** Prefetches that no field has used yet. Emptied at the end, since an outgrown table of `Runs.begun` may retain it. */
export class Prefetches {
  readonly apiKey: string | undefined;
  readonly byPath = new Map<string, Prefetch>();

  constructor(apiKey: string | undefined) {
    this.apiKey = apiKey;
  }

  cancel(): void {
    for (const read of this.byPath.values()) read.cancel();
    this.byPath.clear();
  }
}

export class Run {
  readonly predictions: Predictions;
  readonly #runs: Runs;
  readonly #apiKey: string | undefined;
  readonly #rest: RestClient;
  readonly #make: RestClient['makeCall'];
  readonly #variables: unknown;
  /** Equal for callers that may share responses; undefined before the first read. */
  #sharingKey: string | undefined = undefined;
  #screenId: string | undefined = undefined;
  #isPastFirstRound = false;
  /** Reads after the first round; undefined without any. */
  #later: Read[] | undefined = undefined;
  #screen: Screen | undefined = undefined;
  /** Paths requested before others are prefetched; undefined if none will. */
  #asked: Set<string> | undefined = undefined;
  #begun: Prefetches | undefined = undefined;
  isOver = false;

  constructor(
    runs: Runs,
    apiKey: string | undefined,
    rest: RestClient,
    predictions: Predictions,
    variables: unknown,
  ) {
    this.predictions = predictions;
    this.#runs = runs;
    this.#apiKey = apiKey;
    this.#rest = rest;
    this.#make = rest.makeCall;
    this.#variables = variables;
  }

  /** Prefetches, by whether a field has used them. */
  get counts(): { readonly used: number; readonly unused: number } {
    let [used, unused] = [0, 0];
    if (!this.#begun) return { used, unused };
    for (const { ahead, source } of this.#rest.callLog.entries) {
      if (!ahead || source !== 'sent') continue;
      if (ahead === 'used') used += 1;
      else unused += 1;
    }
    return { used, unused };
  }

  /** Makes a call of a field, or returns its prefetch. */
  readonly makeCall: RestClient['makeCall'] = (call) => {
    const { path, route, from } = call;
    if (route.method !== 'GET') return this.#make(call);
    if (this.#sharingKey === undefined) {
      this.#sharingKey = from.sharingKey;
      this.#start(call);
    }
    if (!this.#isPastFirstRound) this.#isPastFirstRound = hasResponse(this.#rest);
    if (this.#isPastFirstRound) (this.#later ??= []).push([route, path]);
    this.#asked?.add(path);
    const begun = this.#begun?.byPath.get(path);
    if (begun) this.#begun!.byPath.delete(path);
    if (!begun || begun.failed) return this.#make(call);
    return begun.take(call, () => {
      from.deadline.check(route);
      return this.#make(call);
    });
  };

  /** Cancels unused prefetches, and starts no more. */
  end(): void {
    this.isOver = true;
    if (this.#begun) {
      this.#begun.cancel();
      this.#runs.begun.delete(this.#begun);
    }
    if (this.#screen) this.#screen.isRunning = false;
    this.#screen = undefined;
  }

  remember(): void {
    if (this.#sharingKey === undefined) return;
    if (this.#later) this.predictions.hasLaterRounds = true;
    if (!this.predictions.hasLaterRounds) return;
    const id = this.#idOfScreen(this.#sharingKey);
    if (id !== undefined) this.#runs.remembered.remember(id, this.#later ?? []);
  }

  /** Returns the hash of the screen; undefined for variables of a plugin that are not JSON. */
  #idOfScreen(sharingKey: string): string | undefined {
    if (this.#screenId !== undefined) return this.#screenId;
    const variables = orUndefined(() => JSON.stringify(this.#variables ?? {}));
    if (variables === undefined) return undefined;
    const text = `${this.predictions.id}\n${variables}\n${sharingKey}`;
    return (this.#screenId = hash('sha256', text, 'base64url'));
  }

  #start(first: Call): void {
    if (!this.predictions.hasLaterRounds || this.predictions.isPaused(this.#runs.now())) return;
    const id = this.#idOfScreen(this.#sharingKey!);
    const screen = id === undefined ? undefined : this.#runs.remembered.find(id);
    if (!screen || screen.isRunning) return;
    this.#screen = screen;
    screen.isRunning = true;
    this.#asked = new Set();
    // After all reads requested in this turn of the event loop.
    setImmediate(() => this.#begin(screen, first));
  }

  #begin(screen: Screen, first: Call): void {
    const asked = this.#asked!;
    this.#asked = undefined;
    if (this.isOver) return;
    try {
      first.from.deadline.check(first.route);
    } catch {
      return; // the deadline has passed, or the caller has disconnected
    }
    const begun = (this.#begun = new Prefetches(this.#apiKey));
    this.#runs.begun.add(begun);
    for (const read of this.#runs.remembered.readsOf(screen)) {
      const [, path] = read;
      if (asked.has(path) || begun.byPath.has(path)) continue;
      const one = new Prefetch(this.#make, read, first);
      // The others would be rejected too.
      if (one.isRejected) return;
      begun.byPath.set(path, one);
    }
  }
}

/** Whether a read of the request has ended. */
function hasResponse({ callLog }: RestClient): boolean {
  for (const { ahead, endMs } of callLog.entries) if (!ahead && endMs !== undefined) return true;
  return false;
}

const RUNS = 20;

/** Maximum share of unused prefetches. */
const MOST_UNUSED = 0.1;

/** Time without prefetching after too many unused ones, in milliseconds. */
const PAUSE_MS = 600_000;

interface PrefetchCounts {
  readonly begun: number;
  readonly unused: number;
}

/** Whether an operation has later rounds, and how many of its prefetches were used, over all variables and callers. */
export class Predictions {
  /** SHA-256 of the document, and the operation's name. */
  readonly id: string;
  /** Whether a run has read after its first round. */
  hasLaterRounds = false;
  #runs: PrefetchCounts[] = [];
  #pausedUntilMs = 0;

  constructor(id: string) {
    this.id = id;
  }

  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }

  add(run: PrefetchCounts, nowMs: number): void {
    this.#runs.push(run);
    if (this.#runs.length < RUNS) return;
    let [begun, unused] = [0, 0];
    for (const one of this.#runs) {
      begun += one.begun;
      unused += one.unused;
    }
    this.#runs.shift();
    if (unused <= begun * MOST_UNUSED) return;
    this.#pausedUntilMs = nowMs + PAUSE_MS;
    this.#runs = [];
  }
}

const known = new WeakMap<OperationDefinition, Predictions>();

export function predictionsOf(definition: OperationDefinition): Predictions {
  let predictions = known.get(definition);
  if (!predictions) {
    const { name = '', document } = definition;
    const sha256 = document.hash ?? hash('sha256', document.text, 'hex');
    known.set(definition, (predictions = new Predictions(`${sha256} ${name}`)));
  }
  return predictions;
}

export const MAX_BYTES = 8_000_000;

const LARGEST_PART = 1 / 8;

const SCREEN_BYTES = 300;

interface Screen {
  /** A line for each read: number of its route, space, path. */
  readonly text: string;
  /** Whether a run prefetches it now; concurrent runs prefetch nothing twice. */
  isRunning: boolean;
}

/**
 * The routes and paths that the last run of each screen read after its first round. A screen is a document with its
 * variables, and an API key with its forwarded headers. Its reads are one string, since many small long-lived objects
 * are expensive to collect.
 */
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
