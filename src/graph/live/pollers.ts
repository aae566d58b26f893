/**
 * One poller for each object and key, and the headers that are forwarded, for all its watchers: the backend does not
 * report changes.
 *
 * A poller lives as long as it has watchers. It asks quickly while the state moves and more slowly
 * while it does not, by the same client as every call, so the limiter, the breaker and `Retry-After`
 * apply to it; each poll is a request of its own, so that no watcher's budget pays for it.
 */
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { randomUUID } from 'node:crypto';
import { sharingKeyOf, type Identity } from '../../lib/forwarded-headers.ts';
import type { RestClient, Upstream } from '../../rest/client/client.ts';
import { RestError, RestUnsupportedError } from '../../rest/call/errors.ts';

/** What is known of an object at one moment. */
export class Snapshot<State> {
  /** The last state that was read; null when there is no such object, or none was read yet. */
  readonly state: State | null;
  /** Why no newer state could be read; undefined when the state is the newest. */
  readonly error: Error | undefined;
  /** How often the backend had been asked by then, for all who watch. */
  readonly polls: number;

  constructor(polls: number, state: State | null, error?: Error) {
    this.polls = polls;
    this.state = state;
    this.error = error;
  }
}

/** How objects of a type are read and compared. */
export interface LiveSource<Key, State> {
  /** Null when there is no such object. */
  readonly read: (rest: RestClient, key: Key) => Promise<State | null>;
  /** The place of a state in the order of states: an answer with a lower one is out of date. */
  readonly rankOf: (state: State) => number;
  /** Whether nothing follows the state. */
  readonly isFinal: (state: State) => boolean;
  /** The most calls that one reading takes. @default 1 */
  readonly maxCalls?: number;
  /** When the backend came to this state, on the wall clock; undefined where it does not say. */
  readonly changedAt: (state: State) => number | undefined;
}

/** An object to watch. */
export interface LiveObject<Key, State> {
  readonly source: LiveSource<Key, State>;
  readonly key: Key;
  /** Equal for equal objects, and different for objects of different sources. */
  readonly id: string;
}

/** Events of pollers, for metrics. Every method must return quickly and not throw. */
export interface LiveObserver {
  onPoll?(outcome: 'ok' | 'failed'): void;
  /** @param lagMs from the backend's change to this process seeing it. */
  onChange?(lagMs: number | undefined): void;
}

interface PollersOptions {
  readonly upstream: Upstream;
  /** The least and the most time between two polls of an object, in milliseconds. */
  readonly pollMs: PollRange;
  /** One poll with its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly observer?: LiveObserver;
}

export interface PollRange {
  readonly least: number;
  readonly most: number;
}

/** By how much the time between polls grows while nothing changes, and while the backend fails. */
const QUIET_GROWTH = 1.5;
const FAILURE_GROWTH = 2;

/** Between two polls of an object that new watchers wait for, in milliseconds, where the least is more. */
const NEWCOMER_MS = 100;

/** Snapshots that wait for a slow reader; past it, the oldest are left out. */
const MAX_WAITING = 16;

/** The part of each wait that is random, so that pollers that began together do not stay together. */
const JITTER = 0.1;

/** One who watches an object: takes its snapshots, until there are no more. */
interface Watcher<State> {
  push(snapshot: Snapshot<State>): unknown;
  stop(): void;
}

export class Pollers {
  readonly #options: Required<PollersOptions>;
  /** By sharing key and object. An id belongs to one source, and so to one type of states. */
  readonly #pollers = new Map<string, Poller<never, never>>();

  constructor({ upstream, pollMs, timeoutMs, observer = {} }: PollersOptions) {
    this.#options = { upstream, pollMs, timeoutMs, observer };
  }

  /** Pollers that live. */
  get size(): number {
    return this.#pollers.size;
  }

  /** Watchers of all objects. */
  get watchers(): number {
    let count = 0;
    for (const poller of this.#pollers.values()) count += poller.watchers;
    return count;
  }

  /**
   * Watches an object from the first `next()` on: its state then, and each change; ends by itself after a
   * final state. Of those that wait for a slow reader the newest are never lost.
   */
  watch<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Repeater<Snapshot<State>> {
    return new Repeater<Snapshot<State>>(async (push, stop) => {
      const poller = this.#find(identity, object) ?? this.#open(identity, object);
      const watcher = { push, stop };
      poller.add(watcher);
      await stop;
      poller.remove(watcher);
    }, new SlidingBuffer(MAX_WAITING));
  }

  /** A write of this key has left an object in a state: its watchers see it at once. */
  report<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
    state: State,
  ): void {
    this.#find(identity, object)?.report(state);
  }

  /** A write of this key may have changed an object: it is read soon. */
  hurry<Key, State extends object>(identity: Identity, object: LiveObject<Key, State>): void {
    this.#find(identity, object)?.hurry();
  }

  #open<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> {
    const id = idOf(identity, object);
    const end = () => void this.#pollers.delete(id);
    const poller = new Poller<Key, State>(identity, object, this.#options, end);
    this.#pollers.set(id, poller as object as Poller<never, never>);
    return poller;
  }

  #find<Key, State extends object>(
    identity: Identity,
    object: LiveObject<Key, State>,
  ): Poller<Key, State> | undefined {
    return this.#pollers.get(idOf(identity, object)) as Poller<Key, State> | undefined;
  }
}

/** An id has no line break. */
const idOf = (identity: Identity, { id }: { readonly id: string }): string =>
  `${id}\n${sharingKeyOf(identity)}`;

class Poller<Key, State extends object> {
  readonly #identity: Identity;
  readonly #object: LiveObject<Key, State>;
  readonly #options: Required<PollersOptions>;
  readonly #onEnd: () => void;
  readonly #watchers = new Set<Watcher<State>>();
  /**
   * Watchers that have not seen an answer to a poll that began after they came. What was known before may
   * be older than what another process has shown them, which their connection was lost to.
   */
  readonly #newcomers = new Set<Watcher<State>>();
  /** Undefined before the first answer. */
  #known: Snapshot<State> | undefined;
  /** `#known.state` as text: what it is compared by. */
  #text = '';
  /** The highest that was seen: an answer whose rank is not known does not lower it. */
  #rank = -Infinity;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a poll is under way. It is finished without watchers too: giving it up would cost a connection. */
  #isPolling = false;
  #polls = 0;
  /** When the last poll began. */
  #polledMs = -Infinity;
  /** When the backend is to be left alone until, on `performance.now()`'s clock. */
  #pausedUntilMs = 0;
  #isOver = false;

  constructor(
    identity: Identity,
    object: LiveObject<Key, State>,
    options: Required<PollersOptions>,
    onEnd: () => void,
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

  report(state: State): void {
    this.#learn(state);
    this.hurry();
  }

  hurry(): void {
    if (!this.#isOver) this.#pollSoon();
  }

  /** Whether new watchers wait for a poll, and the last one did not fail. */
  get #isAwaited(): boolean {
    return this.#newcomers.size > 0 && !this.#known?.error;
  }

  /** Polls at once, unless the last poll is less than the least wait ago. */
  #pollSoon(): void {
    if (this.#isPolling) return;
    const { least } = this.#options.pollMs;
    this.#waitMs = least;
    const spacingMs = this.#isAwaited ? Math.min(NEWCOMER_MS, least) : least;
    const nowMs = performance.now();
    this.#schedule(Math.max(this.#polledMs + spacingMs, this.#pausedUntilMs) - nowMs);
  }

  #schedule(waitMs: number): void {
    clearTimeout(this.#timer);
    if (waitMs <= 0) void this.#poll();
    else this.#timer = setTimeout(() => void this.#poll(), Math.ceil(waitMs));
  }

  async #poll(): Promise<void> {
    const { upstream, timeoutMs, observer, pollMs } = this.#options;
    this.#isPolling = true;
    this.#polls += 1;
    this.#polledMs = performance.now();
    const newcomers = [...this.#newcomers];
    const rest = upstream({
      ...this.#identity,
      requestId: randomUUID(),
      deadlineMs: this.#polledMs + timeoutMs,
      maxCalls: this.#object.source.maxCalls ?? 1,
    });
    try {
      const { source, key } = this.#object;
      const state = await source.read(rest, key);
      if (this.#isOver) return;
      observer.onPoll?.('ok');
      this.#pausedUntilMs = 0;
      if (!state) {
        this.#newcomers.clear();
        this.#publish(new Snapshot<State>(this.#polls, null));
        this.#end();
        return;
      }
      const isChanged = this.#learn(state);
      this.#welcome(newcomers);
      this.#waitMs = isChanged ? pollMs.least : Math.min(pollMs.most, this.#waitMs * QUIET_GROWTH);
    } catch (cause) {
      if (this.#isOver) return;
      observer.onPoll?.('failed');
      this.#fail(cause as Error);
    } finally {
      this.#isPolling = false;
      if (this.#isAwaited) this.#pollSoon();
      else if (!this.#isOver) {
        const waitMs = this.#waitMs * (1 - JITTER * Math.random());
        const pauseMs = this.#pausedUntilMs - performance.now();
        this.#schedule(Math.max(waitMs, pauseMs));
      }
    }
  }

  /** Answers whether it is news. */
  #learn(state: State): boolean {
    const { source } = this.#object;
    const rank = source.rankOf(state);
    // A replica that lags behind, or a poll that was begun before a write.
    if (rank < this.#rank) return false;
    const text = JSON.stringify(state);
    const isChanged = text !== this.#text;
    if (!isChanged && !this.#known?.error) return false;
    if (this.#known?.state && rank > this.#rank) {
      const changedAt = source.changedAt(state);
      this.#options.observer.onChange?.(
        changedAt === undefined ? undefined : Math.max(0, Date.now() - changedAt),
      );
    }
    this.#text = text;
    if (rank > this.#rank) this.#rank = rank;
    const isFinal = source.isFinal(state);
    // Nothing is newer than a final state.
    if (isFinal) this.#newcomers.clear();
    this.#publish(new Snapshot(this.#polls, state));
    if (isFinal) this.#end();
    return isChanged;
  }

  #fail(error: Error): void {
    const { most } = this.#options.pollMs;
    this.#waitMs = Math.min(most, this.#waitMs * FAILURE_GROWTH);
    const retryAfterMs = error instanceof RestError ? error.retryAfterMs : undefined;
    if (retryAfterMs !== undefined) this.#pausedUntilMs = performance.now() + retryAfterMs;
    if (nameOf(this.#known?.error) !== nameOf(error)) {
      for (const watcher of this.#newcomers)
        watcher.push(new Snapshot<State>(this.#polls, null, error));
      this.#publish(new Snapshot(this.#polls, this.#known?.state ?? null, error));
    }
    if (isRefusal(error)) this.#end();
  }

  #publish(snapshot: Snapshot<State>): void {
    this.#known = snapshot;
    for (const watcher of this.#watchers) {
      if (!this.#newcomers.has(watcher)) watcher.push(snapshot);
    }
  }

  /** Shows what was read to watchers that came before the poll began. */
  #welcome(newcomers: readonly Watcher<State>[]): void {
    for (const watcher of newcomers) {
      if (this.#newcomers.delete(watcher)) watcher.push(this.#known!); // it has just been read
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#onEnd();
    for (const watcher of this.#watchers) watcher.stop();
    this.#watchers.clear();
    this.#newcomers.clear();
  }
}

/** Whether asking again would answer the same: the key, or what is asked for, is at fault. */
const isRefusal = (error: Error): boolean => {
  if (!(error instanceof RestError) || error instanceof RestUnsupportedError) return true;
  const { status } = error;
  return status !== undefined && status >= 400 && status < 500 && !PASSING.has(status);
};

/** Request Timeout, Too Early, Too Many Requests. */
const PASSING = new Set([408, 425, 429]);

/** Failures that look the same to a watcher are reported once. */
const nameOf = (error: Error | undefined): string | undefined =>
  error && `${error.name} ${error instanceof RestError ? error.status : ''}`;
