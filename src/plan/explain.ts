/**
 * What a request has cost, for `extensions.upstream` of an explained answer.
 */
import { responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import type { Journal, JournalEntry } from '../rest/call/journal.ts';

export interface ExplainedCall {
  readonly method: string;
  /** The route's template; ids are never shown. */
  readonly route: string;
  /** Path of the field that caused the call. */
  readonly path: readonly (string | number)[];
  /** Milliseconds since the request began. */
  readonly startMs: number;
  readonly durationMs: number | null;
  readonly status: number | null;
  /** 1 for the first try. */
  readonly attempt: number;
  /** `sent`, `shared` with another request, `primed` by an answer already there, `cached` from an earlier request, or `unsent`: refused or given up before it left. */
  readonly source: JournalEntry['source'];
}

export interface Explained {
  /** Calls the backend saw. */
  readonly calls: number;
  /** The longest chain of calls that waited for each other. */
  readonly rounds: number;
  /** Milliseconds during which a call was under way. */
  readonly backendMs: number;
  /** Of a subscription's event: what was asked to find it, since its object has been watched. */
  readonly polls?: { readonly method: string; readonly route: string; readonly count: number };
  /** Everything that was asked, in the order it began. */
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
    // Every call of the graph has the path of its field as its origin.
    path: responsePathAsArray(origin as GraphQLResolveInfo['path'] | undefined),
    startMs: toTenths(startMs),
    durationMs: endMs === undefined ? null : toTenths(endMs - startMs),
    status: status ?? null,
    attempt,
    source,
  })),
});

/** The `Server-Timing` header of an answer. Source: W3C Server Timing. */
export const serverTiming = ({ calls, rounds, backendMs }: Journal): string =>
  `calls;desc="${calls}", rounds;desc="${rounds}", backend;dur=${toTenths(backendMs)}`;

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
