/**
 * The call log: REST calls of one request, in order.
 *
 * `calls` counts those sent to the backend. `rounds` is the length of the longest chain of sequential calls: the number
 * of round trips that the caller waited for.
 */
import type { FailureKind, RouteLabel } from './errors.ts';

/**
 * `sent`: this request made the call. `shared`: an identical call in flight was joined. `primed`: another call had
 * returned the object. `cached`: the response cache had a response. `unsent`: it waits in a queue, or was rejected or
 * cancelled there.
 */
type CallSource = 'sent' | 'shared' | 'primed' | 'cached' | 'unsent';

/** A span. Source: W3C Trace Context. */
export interface SpanRef {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

export interface CallTrace {
  /** Headers of calls if the trace is not recorded: name, value, name, value. */
  readonly forwarded: readonly string[];
  /** Begins the span of an attempt if it is recorded. @param startMs on `performance.now()`'s clock. */
  readonly begin?: (startMs: number) => {
    readonly span: SpanRef;
    readonly headers: readonly string[];
  };
}

export interface CallLogEntry {
  readonly route: RouteLabel;
  /** Cause of the call; opaque here, the path of a field in the graph. */
  readonly origin: unknown;
  readonly source: CallSource;
  /** 1 for the first attempt, 2 for its first retry. */
  readonly attempt: number;
  /** Milliseconds since the request began. */
  readonly startMs: number;
  /** Milliseconds since the request began; undefined while in flight. */
  readonly endMs: number | undefined;
  readonly status: number | undefined;
  /** How it failed; undefined with a response of any status, and while in flight. */
  readonly failure: FailureKind | undefined;
  /** Whether it began before a field asked it, and whether one has; undefined for other calls. */
  readonly ahead?: 'used' | 'unused' | undefined;
  /** Span of the attempt, or of the attempt that a read joined; undefined if no trace is recorded. */
  readonly span: SpanRef | undefined;
}

/** An entry that its writer changes and ends. */
export type OpenEntry = { -readonly [Name in keyof CallLogEntry]: CallLogEntry[Name] };

export interface Polls {
  readonly route: RouteLabel;
  /** Number of polls since a caller with the same key began to watch the object. */
  readonly count: number;
}

/** A header of the backend; the name is in lower case. */
export type ExposedHeader = readonly [name: string, value: string];

export class CallLog {
  /** Headers for the caller; the latest response wins. */
  exposed: Map<string, string> | undefined;
  /** Calls of the poller that led to a subscription's event. */
  polls: Polls | undefined;
  /** Start of the request on `performance.now()`'s clock. */
  readonly beganMs = performance.now();
  readonly #entries: CallLogEntry[] = [];

  get entries(): readonly CallLogEntry[] {
    return this.#entries;
  }

  get calls(): number {
    let calls = 0;
    for (const { source } of this.#entries) if (source === 'sent') calls += 1;
    return calls;
  }

  /** Time with at least one call in flight, in milliseconds. */
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

  /** Length of the longest chain of sequential calls. */
  get rounds(): number {
    let rounds = 0;
    let firstEndMs = 0; // earliest end in the current round; later calls belong to the next
    for (const { startMs, endMs = Infinity } of this.#waits()) {
      const isNext = startMs >= firstEndMs;
      if (isNext) rounds += 1;
      firstEndMs = isNext ? endMs : Math.min(firstEndMs, endMs);
    }
    return rounds;
  }

  begin(route: RouteLabel, origin: unknown, source: CallSource, attempt: number): OpenEntry {
    const entry: OpenEntry = {
      route,
      origin,
      source,
      attempt,
      startMs: performance.now() - this.beganMs,
      endMs: undefined,
      status: undefined,
      failure: undefined,
      span: undefined,
    };
    this.#entries.push(entry);
    return entry;
  }

  /** Adds an attempt or a caller as its own entry, which changes with it. */
  add(entry: CallLogEntry): void {
    this.#entries.push(entry);
  }

  /** @param atMs on `performance.now()`'s clock. */
  end(
    entry: Pick<OpenEntry, 'endMs' | 'status' | 'failure'>,
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

  /** Records a call that was not made: primed or rejected. */
  note(route: RouteLabel, origin: unknown, source: 'primed' | 'unsent'): void {
    const entry = this.begin(route, origin, source, 1);
    entry.endMs = entry.startMs;
  }

  /** Calls that the request waited for, by start time. */
  #waits(): CallLogEntry[] {
    return this.#entries.filter(
      ({ source, ahead }) => (source === 'sent' || source === 'shared') && ahead !== 'unused',
    );
  }
}
