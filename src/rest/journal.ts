/**
 * What one request cost the backend: every call in order, and how they waited for each other.
 *
 * `calls` is what the backend saw. `rounds` is the longest chain of calls of which each began
 * after the one before had ended: the number of round trips the caller waited for.
 */
import type { RouteName } from './errors.ts';

/** `sent`: this request made the call. `shared`: another request's identical call was joined. */
export type CallSource = 'sent' | 'shared';

export interface JournalEntry {
  readonly route: RouteName;
  /** Who caused the call: opaque here, a field's path to the graph. */
  readonly origin: unknown;
  readonly source: CallSource;
  /** 1 for the first try, 2 for its first retry. */
  readonly attempt: number;
  /** Milliseconds since the request began. */
  readonly startMs: number;
  /** Milliseconds since the request began; undefined while it runs. */
  endMs: number | undefined;
  /** HTTP status; undefined when none arrived. */
  status: number | undefined;
}

export class Journal {
  readonly #began = performance.now();
  readonly #entries: JournalEntry[] = [];

  /** Every call so far, in the order they began. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** Exchanges the backend saw because of this request. */
  get calls(): number {
    return this.#entries.reduce((count, { source }) => count + (source === 'sent' ? 1 : 0), 0);
  }

  /** Milliseconds during which at least one call was under way. */
  get backendMs(): number {
    let total = 0;
    let coveredTo = 0;
    for (const { startMs, endMs } of this.#finished()) {
      total += Math.max(0, endMs - Math.max(startMs, coveredTo));
      coveredTo = Math.max(coveredTo, endMs);
    }
    return total;
  }

  /** The longest chain of calls that waited for each other. */
  get rounds(): number {
    const ended: { endMs: number; round: number }[] = [];
    let most = 0;
    for (const { startMs, endMs } of this.#finished()) {
      const before = ended.reduce(
        (m, call) => (call.endMs <= startMs ? Math.max(m, call.round) : m),
        0,
      );
      ended.push({ endMs, round: before + 1 });
      most = Math.max(most, before + 1);
    }
    return most;
  }

  begin(route: RouteName, origin: unknown, source: CallSource, attempt: number): JournalEntry {
    const entry: JournalEntry = {
      route,
      origin,
      source,
      attempt,
      startMs: this.#now(),
      endMs: undefined,
      status: undefined,
    };
    this.#entries.push(entry);
    return entry;
  }

  end(entry: JournalEntry, status: number | undefined): void {
    entry.endMs = this.#now();
    entry.status = status;
  }

  #now(): number {
    return performance.now() - this.#began;
  }

  #finished(): { startMs: number; endMs: number }[] {
    const now = this.#now();
    return this.#entries.map(({ startMs, endMs = now }) => ({ startMs, endMs }));
  }
}
