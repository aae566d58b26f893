/**
 * What everybody needs to know of a REST call and its answer; `rest-call.ts` makes one.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../../v0/routes.ts';
import type { ExposedHeader, Journal } from './journal.ts';
import type { Key } from './keys.ts';
import type { RequestDeadline } from './request-deadline.ts';
import type { CallTrace } from './trace.ts';

/** The request that makes a call. */
export interface Requester {
  readonly apiKey: string;
  /** What is known of it. */
  readonly key: Key;
  /** Equal for requests that may share what the backend has said: the key, and the headers that are forwarded. */
  readonly sharingKey: string;
  /** Name, value, name, value: one list for all reads. Mutable only in undici's types. */
  readonly headers: string[];
  readonly deadline: RequestDeadline;
  readonly journal: Journal;
  /** The trace it belongs to. */
  readonly trace: CallTrace | undefined;
}

export interface Call {
  readonly from: Requester;
  readonly route: Route;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** The cause of the call, for the journal. */
  readonly origin: unknown;
  /**
   * What a kept answer must be newer than: `NOW` for none at all, or the consistency token of a write. Undefined where
   * every one will do, and where none are kept.
   */
  readonly newerThan: string | undefined;
}

/** A call in flight, for what keeps answers. */
export interface Flight extends Call {
  /** Headers of its answer that go on to callers, where any do. */
  exposed: readonly ExposedHeader[] | undefined;
  /** Headers that make it conditional, where an answer to it is kept: name, value, name, value. */
  validators: readonly string[] | undefined;
  /** Has it answered by the backend, with its retries. */
  ask(): Promise<Settled>;
}

/** Reads may be shared, cancelled and attempted again; writes never are. */
export const isRead = ({ route }: Pick<Call, 'route'>): boolean => route.method === 'GET';

/** Newer than any answer that is kept: the backend has to be asked. */
export const NOW = 'now';

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A checked body and the status it came with. */
export interface DecodedResponse {
  readonly value: unknown;
  readonly status: number;
  /** False when errors stand in place of some of its values. */
  readonly sound: boolean;
}

export type Settled<Result = RestResponse> = Result | Error;
