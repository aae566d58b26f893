/**
 * The cost of a request, for `extensions.upstream`.
 */
import { responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import type { CallLog, CallLogEntry } from '../rest/call/call-log.ts';

export interface ExplainedCall extends Pick<CallLogEntry, 'source' | 'attempt' | 'ahead'> {
  readonly method: string;
  /** Template of the route, without ids. */
  readonly route: string;
  /** Path of the field that caused the call. */
  readonly path: readonly (string | number)[];
  /** Milliseconds since the request began. */
  readonly startMs: number;
  readonly durationMs: number | null;
  readonly status: number | null;
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

export const explain = (callLog: CallLog): Explained => ({
  calls: callLog.calls,
  rounds: callLog.rounds,
  backendMs: toTenths(callLog.backendMs),
  ...(callLog.polls && { polls: { ...routeOf(callLog.polls), count: callLog.polls.count } }),
  journal: callLog.entries.map(explainedCall),
});

const routeOf = ({ route }: Pick<CallLogEntry, 'route'>) => ({
  method: route.method,
  route: route.path,
});

const explainedCall = (entry: CallLogEntry): ExplainedCall => {
  const { origin, startMs, endMs, status, attempt, source, ahead } = entry;
  return {
    ...routeOf(entry),
    // The origin of each call of the graph is the path of its field.
    path: responsePathAsArray(origin as GraphQLResolveInfo['path'] | undefined),
    startMs: toTenths(startMs),
    durationMs: endMs === undefined ? null : toTenths(endMs - startMs),
    status: status ?? null,
    attempt,
    source,
    ...(ahead && { ahead }),
  };
};

/** The `Server-Timing` header of a response. Source: W3C Server Timing. */
export const serverTiming = ({ calls, rounds, backendMs }: CallLog): string =>
  `calls;desc="${calls}", rounds;desc="${rounds}", backend;dur=${toTenths(backendMs)}`;

export const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
