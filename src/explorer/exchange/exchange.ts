/**
 * What was sent last from each of GraphiQL's tabs, and what came back, for all that is shown below the
 * answer.
 *
 * GraphiQL has no hook for responses, so sending records them here. Nothing else of the page knows how
 * requests are sent.
 */
import type { ExecutionResult } from 'graphql';
import { createChanges } from './changes.ts';
import type { GraphQLRequest } from './request.ts';

type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface Exchange {
  readonly request: GraphQLRequest;
  /** Without the key. */
  readonly requestHeaders: HeaderPairs;
  /** When it was sent, by the wall clock. */
  readonly startedAt: Date;
  /** From sending to what came last, in milliseconds. */
  readonly durationMs: number;
  /** HTTP status; undefined until an answer comes. */
  readonly status: number | undefined;
  readonly headers: HeaderPairs;
  /** The body, unpacked, as far as it has come. */
  readonly body: string;
  /** Bytes of the body, unpacked. */
  readonly bodyBytes: number;
  /** What the browser measured; undefined until the end, and where it does not say. */
  readonly timing: Timing | undefined;
  /** How many results have come: more than one from `@defer`, `@stream` and subscriptions. */
  readonly results: number;
  /** The errors of all results, and the extensions of the last. */
  readonly result: ExecutionResult | undefined;
  /** Why no answer came, or not the whole. */
  readonly failure: string | undefined;
}

/** All in milliseconds but `wireBytes`, the bytes of the body as they travelled. */
export interface Timing {
  readonly wireBytes: number;
  /** From the request's leaving to the answer's first byte. */
  readonly waitMs: number;
  /** From the answer's first byte to its last. */
  readonly receiveMs: number;
}

const exchanges = new Map<string, Exchange>();
const changes = createChanges();
let shownTab = '';

/** A function that keeps what is sent from the tab that is shown now, whichever is shown later. */
export function recorderOfTab(): (exchange: Exchange) => void {
  const tab = shownTab;
  return (exchange) => {
    exchanges.set(tab, exchange);
    changes.notify();
  };
}

/** @param open the ids of all tabs: what closed ones have sent is forgotten. */
export function showTab(id: string, open: readonly string[]): void {
  shownTab = id;
  for (const tab of exchanges.keys()) if (!open.includes(tab)) exchanges.delete(tab);
  changes.notify();
}

/** The last exchange of the tab that is shown. */
export const useExchange = (): Exchange | undefined =>
  changes.useValue(() => exchanges.get(shownTab));
