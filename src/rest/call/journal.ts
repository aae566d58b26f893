/**
 * The REST calls of one request, in order.
 *
 * `calls` is what the backend saw. `rounds` is the longest chain of calls of which each began
 * after the one before had ended: the number of round trips the caller waited for.
 */
import type { FailureKind, RouteLabel } from './errors.ts';
import type { SpanRef } from './trace.ts';

/**
 * `sent`: this request made the call. `shared`: an identical call in flight was joined.
 * `primed`: no call was needed, since another had brought the answer.
 * `cached`: an answer was kept that may still be used.
 * `unsent`: it waits in a queue, or was refused or given up there.
 */
type CallSource = 'sent' | 'shared' | 'primed' | 'cached' | 'unsent';

export interface JournalEntry {
  readonly route: RouteLabel;
  /** The cause of the call: opaque here, a field's path to the graph. */
  readonly origin: unknown;
  readonly source: CallSource;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly attempt: number;
  /** Milliseconds since the request began. */
  readonly startMs: number;
  /** Milliseconds since the request began; undefined while it runs. */
  readonly endMs: number | undefined;
  /** HTTP status; undefined when none arrived. */
  readonly status: number | undefined;
  /** How it failed; undefined when an answer arrived, whatever its status, and while it runs. */
  readonly failure: FailureKind | undefined;
  /** The span of an attempt that was sent, or of the attempt that a read joined; undefined where no trace is recorded. */
  readonly span: SpanRef | undefined;
}

/** A line that ends when its writer says so. */
interface OpenEntry {
  endMs: number | undefined;
  status: number | undefined;
  failure: FailureKind | undefined;
}

export interface Polls {
  readonly route: RouteLabel;
  /** Since the object has been watched by anybody with the same key. */
  readonly count: number;
}

/** A header of the backend's, by its name in lower case. */
export type ExposedHeader = readonly [name: string, value: string];

export class Journal {
  /** Headers that go on to the caller: of several answers with the same, what the last one said. */
  exposed: Map<string, string> | undefined;
  /** Names the last write: who sends it reads nothing older. Undefined where no answers are kept. */
  consistency: string | undefined;
  /** What was asked for a subscription's event before there was the event: by a poller, for all who watch. */
  polls: Polls | undefined;
  /** How many were sent, retries too. */
  calls = 0;
  /** When the request began, on `performance.now()`'s clock. */
  readonly beganMs = performance.now();
  readonly #entries: JournalEntry[] = [];

  /** Every call so far, in the order they began. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** Milliseconds during which at least one call was under way. */
  get backendMs(): number {
    const now = performance.now() - this.beganMs;
    let total = 0;
    let coveredTo = 0;
    for (const { startMs, endMs = now } of this.#waits()) {
      total += Math.max(0, endMs - Math.max(startMs, coveredTo));
      coveredTo = Math.max(coveredTo, endMs);
    }
    return total;
  }

  /** The longest chain of calls of which each began after the one before had ended. */
  get rounds(): number {
    let rounds = 0;
    let firstEndMs = 0; // the earliest end in the current round: later calls belong to the next
    for (const { startMs, endMs = Infinity } of this.#waits()) {
      const isNext = startMs >= firstEndMs;
      if (isNext) rounds += 1;
      firstEndMs = isNext ? endMs : Math.min(firstEndMs, endMs);
    }
    return rounds;
  }

  /** @param atMs on `performance.now()`'s clock. */
  begin(
    route: RouteLabel,
    origin: unknown,
    source: CallSource,
    attempt: number,
    atMs = performance.now(),
  ): OpenEntry & JournalEntry {
    const entry = {
      route,
      origin,
      source,
      attempt,
      startMs: atMs - this.beganMs,
      endMs: undefined,
      status: undefined,
      failure: undefined,
      span: undefined,
    };
    this.#entries.push(entry);
    if (source === 'sent') this.calls += 1;
    return entry;
  }

  /** Adds the line of a call that is its own line, and changes it as it goes on. */
  add(entry: JournalEntry): void {
    this.#entries.push(entry);
  }

  /** Keeps the line as it is: its call begins another attempt, which has a line of its own. */
  keep(entry: JournalEntry): void {
    const { route, origin, source, attempt, startMs, endMs, status, failure, span } = entry;
    const kept = { route, origin, source, attempt, startMs, endMs, status, failure, span };
    this.#entries[this.#entries.lastIndexOf(entry)] = kept;
  }

  end(
    entry: OpenEntry,
    status: number | undefined,
    failure?: FailureKind,
    atMs = performance.now(),
  ): void {
    entry.endMs = atMs - this.beganMs;
    entry.status = status;
    entry.failure = failure;
  }

  expose(headers: readonly ExposedHeader[]): void {
    this.exposed = new Map([...(this.exposed ?? []), ...headers]);
  }

  /** Records a call that was not made: its answer was there already, or it was refused. */
  note(route: RouteLabel, origin: unknown, source: 'primed' | 'unsent'): void {
    const entry = this.begin(route, origin, source, 1);
    entry.endMs = entry.startMs;
  }

  /** The calls that the request waited for, in the order they began. */
  #waits(): JournalEntry[] {
    return this.#entries.filter(({ source }) => source === 'sent' || source === 'shared');
  }
}
