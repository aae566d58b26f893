/**
 * The words between the layers that a call passes on its way out.
 *
 * Every layer is a function around a `Send`: `sharing(decoding(retrying(pausing(trying(breaking(gating(exchanging)))))))`.
 * Each knows its one idea and nothing of the others.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Route } from '../v0/routes.ts';
import type { Cancel } from './cancel.ts';

/** One call, as the layers hand it on. */
export interface Outgoing {
  readonly route: Route & { readonly method: Dispatcher.HttpMethod };
  readonly apiKey: string;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: string | null;
  /** When the last who waits gives up, on `performance.now()`'s clock. Grows as others join. */
  deadlineMs: number;
  /** Cancelled when nobody waits any more. Writes are never cancelled. */
  readonly cancel: Cancel;
  /** Told of every try as it begins; what it answers is told of the try's end. */
  readonly onTry: (attempt: number) => (status: number | undefined) => void;

  // The try under way. A call has one at a time, so each layer sets its own here instead of
  // copying a dozen fields.

  /** 1 for the first try, 2 for its first retry. */
  attempt: number;
  /** When the try is given up, on `performance.now()`'s clock. */
  untilMs: number;
  /** True when the request's deadline leaves the try less than its own time. */
  cut: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Send<Result = Answer> = (outgoing: Outgoing) => Promise<Result>;

/** Reads may be shared, cancelled and tried again; writes never are. */
export const isRead = ({ route }: Pick<Outgoing, 'route'>): boolean => route.method === 'GET';
