/**
 * Pollers, each of one object with one key, for all its watchers, since the backend has no notifications.
 *
 * A poller exists while it has watchers. Its interval is short while the state changes and grows otherwise. Polls use
 * the same client as other calls, so the limiter, the breaker and `Retry-After` apply; each is a separate request,
 * outside of watchers' budgets.
 */
import { randomUUID } from 'node:crypto';
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import type { Clock, Timer } from '../lib/clock.ts';
import { sharingKeyOf, type Identity } from '../rest/call/keys.ts';
import { NOW } from '../rest/call/call.ts';
import type { RestClient } from '../rest/client/client.ts';
import type { Upstream } from '../rest/upstream.ts';
import { hasKind, RestError } from '../rest/call/errors.ts';
import { MAX_BACKOFF_MS } from '../rest/policies/rate-limit-backoff.ts';

export class Snapshot<State> {
  /** Latest state; null if the object does not exist or was not read yet. */
  readonly state: State | null;
  /** Error of the latest poll; undefined if it succeeded. */
  readonly error: Error | undefined;
  /** Number of polls so far, for all watchers. */
  readonly polls: number;

  constructor(polls: number, state: State | null, error?: Error) {
    this.polls = polls;
    this.state = state;
    this.error = error;
  }
}

export interface LiveSource<Key, State> {
  readonly read: (rest: RestClient, key: Key) => Promise<State | null>;
  /** Rank of a state; responses with a lower rank are stale. @default 0 */
  readonly rankOf?: (state: State) => number;
  /** @default false */
  readonly isFinal?: (state: State) => boolean;
  /** Maximum number of calls per read. @default 1 */
  readonly maxCalls?: number;
  /** Time of the change at the backend, on the wall clock; undefined if unknown. */
  readonly changedAt?: (state: State) => number | undefined;
}

export interface LiveObject<Key, State> {
  readonly source: LiveSource<Key, State>;
  readonly key: Key;
  /** Unique across objects of all sources. */
  readonly id: string;
}

/** Events of pollers, for metrics. Every method must return quickly and not throw. */
export interface LiveObserver {
  onPoll(outcome: 'ok' | 'failed'): void;
  /** @param lagMs time from the backend's change to its detection, in milliseconds. */
  onChange(lagMs: number | undefined): void;
}

export interface PollerOptions {
  readonly upstream: Upstream;
  /** Shared with the upstream. */
  readonly clock: Clock;
  readonly pollMs: PollRange;
  /** Timeout of a poll with its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer?: LiveObserver;
}

export interface PollRange {
  readonly least: number;
  readonly most: number;
}

/** Growth factors of the interval without changes, and after failures. */
const QUIET_GROWTH = 1.5;
const FAILURE_GROWTH = 2;

/** Minimum interval while new watchers wait, in milliseconds, if it is shorter than the configured one. */
export const NEWCOMER_MS = 100;

/** Random share of each interval, to spread pollers that began together. */
const JITTER = 0.1;

interface Watcher<State> {
  push(snapshot: Snapshot<State>): unknown;
  stop(): void;
}

class Poller<Key, State extends object> {
  readonly #identity: Identity;
  readonly #object: LiveObject<Key, State>;
  readonly #options: PollerOptions;
  readonly #onEnd: () => unknown;
  readonly #watchers = new Set<Watcher<State>>();
  /**
   * Watchers without a snapshot of a poll that began after they joined. Older snapshots may precede what another
   * process has shown them before a reconnect.
   */
  readonly #newcomers = new Set<Watcher<State>>();
  /** Undefined before the first response. */
  #known: Snapshot<State> | undefined;
  #text = '';
  #rank = -Infinity;
  #waitMs: number;
  #timer: Timer | undefined;
  /** Whether a poll is in flight, to be finished even without watchers: a cancellation costs a connection. */
  #isPolling = false;
  #polls = 0;
  #polledMs = -Infinity;
  /** End of a backoff by `Retry-After`. */
  #backoffEndMs = 0;
  #isOver = false;
  /** Whether a write has ended since the latest poll began. */
  #isHurried = false;

  constructor(
    identity: Identity,
    object: LiveObject<Key, State>,
    options: PollerOptions,
    onEnd: () => unknown,
  ) {
    this.#identity = identity;
    this.#object = object;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#waitMs = options.pollMs.least;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  add(watcher: Watcher<State>): void {
    this.#watchers.add(watcher);
    this.#newcomers.add(watcher);
    if (this.#known?.error) watcher.push(new Snapshot<State>(this.#polls, null, this.#known.error));
    this.#pollSoon();
  }

  remove(watcher: Watcher<State>): void {
    this.#watchers.delete(watcher);
    this.#newcomers.delete(watcher);
    if (this.#watchers.size === 0) this.#end();
  }

  /** Publishes the state after a write of this key. */
  report(state: State): void {
    this.#learn(state);
    this.hurry();
  }

  /** Polls soon, after a write of this key that may have changed the object. */
  hurry(): void {
    this.#isHurried = true;
    if (!this.#isOver) this.#pollSoon();
  }

  /** Whether new watchers wait for a poll, and the latest one did not fail. */
  get #isAwaited(): boolean {
    return this.#newcomers.size > 0 && !this.#known?.error;
  }

  #pollSoon(): void {
    if (this.#isPolling) return;
    const { clock, pollMs } = this.#options;
    const { least } = pollMs;
    this.#waitMs = least;
    const spacingMs = this.#isAwaited ? Math.min(NEWCOMER_MS, least) : least;
    this.#schedule(Math.max(this.#polledMs + spacingMs, this.#backoffEndMs) - clock.now());
  }

  #schedule(waitMs: number): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    if (waitMs <= 0) void this.#poll();
    else this.#timer = clock.setTimeout(() => void this.#poll(), Math.ceil(waitMs));
  }

  async #poll(): Promise<void> {
    const { upstream, clock, timeoutMs, observer, pollMs } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#isPolling = true;
    this.#isHurried = false;
    this.#polls += 1;
    this.#polledMs = clock.now();
    const newcomers = [...this.#newcomers];
    const rest = upstream({
      ...this.#identity,
      requestId: randomUUID(),
      deadlineMs: this.#polledMs + timeoutMs,
      maxCalls: this.#object.source.maxCalls ?? 1,
      newerThan: NOW,
    });
    try {
      const { source, key } = this.#object;
      const state = await source.read(rest, key);
      if (this.#isOver) return;
      observer?.onPoll('ok');
      this.#backoffEndMs = 0;
      const isChanged = !state || this.#learn(state);
      if (!state) this.#endMissing();
      // Those who joined before the poll began.
      for (const watcher of newcomers) {
        if (this.#newcomers.delete(watcher)) watcher.push(this.#known!); // just read
      }
      this.#waitMs = isChanged ? pollMs.least : Math.min(pollMs.most, this.#waitMs * QUIET_GROWTH);
    } catch (cause) {
      if (this.#isOver) return;
      observer?.onPoll('failed');
      this.#fail(cause as Error);
    } finally {
      this.#isPolling = false;
      if (!this.#isOver) this.#scheduleNext();
    }
  }

  #scheduleNext(): void {
    if (this.#isAwaited || this.#isHurried) return this.#pollSoon();
    const waitMs = this.#waitMs * (1 - JITTER * Math.random());
    this.#schedule(Math.max(waitMs, this.#backoffEndMs - this.#options.clock.now()));
  }

  #endMissing(): void {
    this.#newcomers.clear();
    this.#publish(new Snapshot<State>(this.#polls, null));
    this.#end();
  }

  /** Records and publishes a state. Returns whether it is new. */
  #learn(state: State): boolean {
    const { source } = this.#object;
    const rank = source.rankOf?.(state) ?? 0;
    // Stale: from a lagging replica, or a poll that began before a write.
    if (rank < this.#rank) return false;
    const text = JSON.stringify(state);
    const isChanged = text !== this.#text;
    if (!isChanged && !this.#known?.error) return false;
    if (this.#known?.state && rank > this.#rank) {
      const changedAt = source.changedAt?.(state);
      this.#options.observer?.onChange(
        changedAt === undefined ? undefined : Math.max(0, Date.now() - changedAt),
      );
    }
    this.#text = text;
    if (rank > this.#rank) this.#rank = rank;
    const isFinal = source.isFinal?.(state) ?? false;
    if (isFinal) this.#newcomers.clear();
    this.#publish(new Snapshot(this.#polls, state));
    if (isFinal) this.#end();
    return isChanged;
  }

  #fail(error: Error): void {
    const { most } = this.#options.pollMs;
    this.#waitMs = Math.min(most, this.#waitMs * FAILURE_GROWTH);
    const retryAfterMs = error instanceof RestError ? error.retryAfterMs : undefined;
    if (retryAfterMs !== undefined) {
      // Spread over an interval, since all pollers of a key wait for the same moment.
      const spreadMs = Math.random() * this.#waitMs;
      const backoffMs = Math.min(retryAfterMs, MAX_BACKOFF_MS) + spreadMs;
      this.#backoffEndMs = this.#options.clock.now() + backoffMs;
    }
    if (nameOf(this.#known?.error) !== nameOf(error)) {
      for (const watcher of this.#newcomers)
        watcher.push(new Snapshot<State>(this.#polls, null, error));
      this.#publish(new Snapshot(this.#polls, this.#known?.state ?? null, error));
    }
    if (isRejection(error)) this.#end();
  }

  #publish(snapshot: Snapshot<State>): void {
    this.#known = snapshot;
    for (const watcher of this.#watchers) {
      if (!this.#newcomers.has(watcher)) watcher.push(snapshot);
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#onEnd();
    for (const watcher of this.#watchers) watcher.stop();
    this.#watchers.clear();
    this.#newcomers.clear();
  }
}

/**
 * Whether an error is permanent: a missing route, or a key that the backend itself rejects. Everything else may pass, such
 * as a 403 of a proxy that reloads. The backend's own 404 or 410 is no error but a missing object.
 */
const isRejection = (error: Error): boolean =>
  hasKind(error, 'unsupported') ||
  (hasKind(error, 'status') &&
    error.body === 'documented' &&
    KEY_REJECTIONS.includes(error.status));

const KEY_REJECTIONS: readonly unknown[] = [401, 403];

/** Identity of a failure; equal ones are reported once. */
const nameOf = (error: Error | undefined): string | undefined =>
  error instanceof RestError ? `${error.kind} ${error.status}` : error?.name;

/** Maximum number of buffered snapshots of a slow reader; above it, the oldest are dropped. */
export const MAX_WAITING = 16;

/** Pollers by object, key and forwarded headers, shared by watchers. */
export class Pollers {
  readonly #options: PollerOptions;
  /** By sharing key and object id. An id belongs to one source, and so to one type of state. */
  readonly #pollers = new Map<string, Poller<never, never>>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pollers.size;
  }

  get watchers(): number {
    let count = 0;
    for (const poller of this.#pollers.values()) count += poller.watchers;
    return count;
  }

  /**
   * Watches an object from the first `next()` on: yields its current state and each change, and ends after a final
   * state. The latest state is never dropped for a slow reader.
   */
  watch<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Repeater<Snapshot<State>> {
    return new Repeater<Snapshot<State>>(async (push, stop) => {
      let poller = this.find(identity, object);
      if (!poller) {
        const id = idOf(identity, object);
        poller = new Poller(identity, object, this.#options, () => this.#pollers.delete(id));
        this.#pollers.set(id, poller as object as Poller<never, never>);
      }
      const watcher = { push, stop };
      poller.add(watcher);
      await stop;
      poller.remove(watcher);
    }, new SlidingBuffer(MAX_WAITING));
  }

  /** Finds the poller of an object that is watched with this key. */
  find<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> | undefined {
    return this.#pollers.get(idOf(identity, object)) as Poller<Key, State> | undefined;
  }
}

/** Unambiguous, since ids have no line breaks. */
const idOf = (identity: Identity, { id }: { readonly id: string }): string =>
  `${id}\n${sharingKeyOf(identity)}`;
