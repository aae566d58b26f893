/**
 * The cost of a request, for `extensions.upstream`.
 */
import { responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import type { Journal, JournalEntry } from '../rest/call/journal.ts';

export interface ExplainedCall {
  readonly method: string;
  /** Template of the route, without ids. */
  readonly route: string;
  /** Path of the field that caused the call. */
  readonly path: readonly (string | number)[];
  /** Milliseconds since the request began. */
  readonly startMs: number;
  readonly durationMs: number | null;
  readonly status: number | null;
  /** 1 for the first try. */
  readonly attempt: number;
  /**
   * `sent`, `shared` with another request, `primed` by another call, `cached` from an earlier request, or `unsent`
   * (rejected or cancelled before it was sent).
   */
  readonly source: JournalEntry['source'];
}

export interface Explained {
  /** Number of calls sent to the backend. */
  readonly calls: number;
  /** Length of the longest chain of sequential calls. */
  readonly rounds: number;
  /** Time with a call in flight, in milliseconds. */
  readonly backendMs: number;
  /** For a subscription's event: polls since the object has been watched. */
  readonly polls?: { readonly method: string; readonly route: string; readonly count: number };
  /** All calls by start time. */
  readonly journal: readonly ExplainedCall[];
}

export const explain = (journal: Journal): Explained => ({
  calls: journal.calls,
  rounds: journal.rounds,
  backendMs: toTenths(journal.backendMs),
  ...(journal.polls && {
    polls: {
      method: journal.polls.route.method,
      route: journal.polls.route.path,
      count: journal.polls.count,
    },
  }),
  journal: journal.entries.map(({ route, origin, startMs, endMs, status, attempt, source }) => ({
    method: route.method,
    route: route.path,
    // The origin of each call of the graph is the path of its field.
    path: responsePathAsArray(origin as GraphQLResolveInfo['path'] | undefined),
    startMs: toTenths(startMs),
    durationMs: endMs === undefined ? null : toTenths(endMs - startMs),
    status: status ?? null,
    attempt,
    source,
  })),
});

/** The `Server-Timing` header of a response. Source: W3C Server Timing. */
export const serverTiming = ({ calls, rounds, backendMs }: Journal): string =>
  `calls;desc="${calls}", rounds;desc="${rounds}", backend;dur=${toTenths(backendMs)}`;

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
