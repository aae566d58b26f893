/**
 * The last request of the page and its answer, for everything that is shown below the answer.
 *
 * GraphiQL has no hook for responses, so its fetcher records them here. Nothing else of the page
 * knows how requests are sent.
 */
import type { ExecutionResult } from 'graphql';
import { useSyncExternalStore } from 'react';
import type { GraphQLRequest } from './request.ts';

export interface Exchange {
  readonly request: GraphQLRequest;
  /** When it was sent, by the wall clock. */
  readonly startedAt: Date;
  /** From sending to the whole answer, in milliseconds. */
  readonly durationMs: number;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body bytes as they travelled and unpacked; 0 where the browser does not say. */
  readonly wireBytes: number;
  readonly bodyBytes: number;
  /** From the request's leaving to the answer's first byte, in milliseconds, where known. */
  readonly waitMs: number | undefined;
  readonly result: ExecutionResult | undefined;
  /** Why no answer came. */
  readonly failure: string | undefined;
}

let last: Exchange | undefined;
const listeners = new Set<() => void>();

export function recordExchange(exchange: Exchange | undefined): void {
  last = exchange;
  for (const listener of listeners) listener();
}

export const useExchange = (): Exchange | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => last,
  );
