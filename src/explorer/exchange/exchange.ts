/** The last request and response of each tab, across reloads, recorded by the fetcher. */
import { formatResult } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { orUndefined } from '../../lib/or-undefined.ts';
import { createChanges, session } from '../state.ts';
import { parseExactly } from './json.ts';
import { withoutCallLog } from './extensions.ts';
import type { GraphQLRequest } from './request.ts';

type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface TabExchange {
  readonly request: GraphQLRequest;
  /** Headers that the page sends by itself. */
  readonly requestHeaders: HeaderPairs;
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly headers: HeaderPairs;
  /** The body received so far, uncompressed. */
  readonly body: string;
  readonly bodyBytes: number;
  /** The browser's measurements; undefined until the end, and if it has none. */
  readonly timing?: Timing | undefined;
  /** Results received: more than one from `@defer`, `@stream` and subscriptions. */
  readonly results: number;
  /** The errors of all results, and the extensions of the last. */
  readonly result?: ExecutionResult;
  readonly failure?: string | undefined;
  readonly stream?: ReceivedEvents | undefined;
}

/** The newest `MAX_EVENTS` of a subscription, and why it ended; undefined while it is active. */
export interface ReceivedEvents {
  readonly events: readonly ReceivedEvent[];
  readonly ending: string | undefined;
}

interface ReceivedEvent {
  readonly number: number;
  readonly atMs: number;
  readonly result: ExecutionResult;
}

export const MAX_EVENTS = 200;

/** Milliseconds to the first byte, and from it to the last. `wireBytes` is the size of the compressed body. */
export interface Timing {
  readonly wireBytes: number;
  readonly waitMs: number;
  readonly receiveMs: number;
}

interface Shown {
  readonly exchange: TabExchange;
  readonly response: string;
  /** The user's headers as JSON, in memory only; undefined after a reload. */
  readonly ownHeaders?: string | undefined;
}

const NAME = 'content-pages:responses';

/** Characters stored across a reload. Browsers allow a site five million. */
const MAX_STORED = 2_000_000;

const shown = new Map(
  orUndefined(() => parseExactly(session.get(NAME) ?? '[]') as [string, Shown][]),
);
const changes = createChanges();
let shownTab = '';

addEventListener('pagehide', storeAll);

export const tabInView = (): string => shownTab;

/** Returns a function that records exchanges for the current tab. @param ownHeaders the user's headers as JSON. */
export function recorderOfTab(ownHeaders: string): (exchange: TabExchange) => void {
  const tab = shownTab;
  return (exchange) => {
    const before = shown.get(tab);
    const isSame = before?.exchange.startedAtMs === exchange.startedAtMs;
    shown.set(tab, { response: isSame ? before.response : '', exchange, ownHeaders });
    changes.notify();
  };
}

/** Forgets the exchange of the tab in view when its next request was not sent. */
export function forgetExchange(): void {
  shown.delete(shownTab);
  changes.notify();
}

/** @param open the ids of all tabs. Exchanges of other tabs are forgotten. */
export function showTab(id: string, open: readonly string[]): void {
  shownTab = id;
  for (const tab of shown.keys()) if (!open.includes(tab)) shown.delete(tab);
  changes.notify();
}

export const useExchange = (): TabExchange | undefined =>
  changes.useValue(() => shown.get(shownTab)?.exchange);

/** The user's headers of the last exchange, as JSON; undefined after a reload. */
export const useSentHeaders = (): string | undefined =>
  changes.useValue(() => shown.get(shownTab)?.ownHeaders);

/** The text of a tab's last response, or of its subscription's newest event; empty without one. */
export function responseOf(tab: string): string {
  const one = shown.get(tab);
  const newest = one?.exchange.stream?.events.at(-1);
  // Events that arrived while another tab was in view are not in the editor.
  return newest ? formatResult(withoutCallLog(newest.result)) : (one?.response ?? '');
}

export function storeResponse(response: string): void {
  const one = shown.get(shownTab);
  if (one) shown.set(shownTab, { ...one, response });
}

function storeAll(): void {
  const kept: [string, Shown][] = [];
  let left = MAX_STORED;
  // The newest come first, up to the limit.
  for (const [tab, { exchange, response }] of [...shown].reverse()) {
    const { stream } = exchange;
    const ended = stream && { ...stream, ending: stream.ending ?? 'Ended: the page was reloaded.' };
    const one: [string, Shown] = [tab, { response, exchange: { ...exchange, stream: ended } }];
    left -= JSON.stringify(one).length;
    if (left >= 0) kept.unshift(one);
  }
  session.set(NAME, JSON.stringify(kept));
}
