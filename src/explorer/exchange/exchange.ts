/**
 * What was sent last from each of GraphiQL's tabs, and what came back, for all that is shown below the
 * answer. It outlives a reload.
 *
 * GraphiQL has no hook for responses, so sending records them here. Nothing else of the page knows how
 * requests are sent.
 */
import { formatResult } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { createChanges } from './changes.ts';
import { withoutJournal } from './extensions.ts';
import type { GraphQLRequest } from './request.ts';

type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface Exchange {
  readonly request: GraphQLRequest;
  /** Those of the page. */
  readonly requestHeaders: HeaderPairs;
  /** Names of those of the user, whose values may be secrets. */
  readonly ownHeaders: readonly string[];
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAtMs: number;
  /** From sending to what came last, in milliseconds. */
  readonly durationMs: number;
  /** HTTP status; undefined until an answer comes. */
  readonly status: number | undefined;
  readonly headers: HeaderPairs;
  /** The body, uncompressed, as far as it has come. */
  readonly body: string;
  /** Bytes of the body, uncompressed. */
  readonly bodyBytes: number;
  /** What the browser measured; undefined until the end, and where it does not say. */
  readonly timing: Timing | undefined;
  /** How many results have come: more than one from `@defer`, `@stream` and subscriptions. */
  readonly results: number;
  /** The errors of all results, and the extensions of the last. */
  readonly result: ExecutionResult | undefined;
  /** Why no answer came, or not the whole. */
  readonly failure: string | undefined;
  /** Of a subscription. */
  readonly stream: EventStream | undefined;
}

/** The newest `MAX_EVENTS` of a subscription, and why it ended: undefined while it goes on. */
export interface EventStream {
  readonly events: readonly StreamEvent[];
  readonly ending: string | undefined;
}

export interface StreamEvent {
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds since the subscription was sent. */
  readonly atMs: number;
  readonly result: ExecutionResult;
}

export const MAX_EVENTS = 200;

/** All in milliseconds but `wireBytes`, the bytes of the body as they travelled. */
export interface Timing {
  readonly wireBytes: number;
  /** From the request's leaving to the answer's first byte. */
  readonly waitMs: number;
  /** From the answer's first byte to its last. */
  readonly receiveMs: number;
}

/** What a tab shows: the exchange, and its answer as text. */
interface Shown {
  readonly exchange: Exchange;
  readonly answer: string;
  /** The user's headers as JSON, in memory only; undefined after a reload. */
  readonly ownHeaders?: string | undefined;
}

const NAME = 'content-pages:answers';

/** Characters that are kept over a reload: browsers give a site five million. */
const MAX_KEPT = 2_000_000;

const shown = new Map<string, Shown>(readKept());
const changes = createChanges();
let shownTab = '';

addEventListener('pagehide', keep);

/** The id of the tab that is looked at. */
export const tabInView = (): string => shownTab;

/**
 * A function that keeps what is sent from the tab that is in view now, whichever is later.
 *
 * @param ownHeaders the user's headers as JSON.
 */
export function recorderOfTab(ownHeaders: string): (exchange: Exchange) => void {
  const tab = shownTab;
  return (exchange) => {
    const before = shown.get(tab);
    const isSame = before?.exchange.startedAtMs === exchange.startedAtMs;
    shown.set(tab, { answer: isSame ? before.answer : '', exchange, ownHeaders });
    changes.notify();
  };
}

/** Forgets the exchange of the tab in view: what is shown instead was not sent. */
export function forgetExchange(): void {
  shown.delete(shownTab);
  changes.notify();
}

/** @param open the ids of all tabs: what closed ones have sent is forgotten. */
export function showTab(id: string, open: readonly string[]): void {
  shownTab = id;
  for (const tab of shown.keys()) if (!open.includes(tab)) shown.delete(tab);
  changes.notify();
}

/** The last exchange of the tab in view. */
export const useExchange = (): Exchange | undefined =>
  changes.useValue(() => shown.get(shownTab)?.exchange);

/** The user's headers of the last exchange, as JSON; undefined where they are not known. */
export const useSentHeaders = (): string | undefined =>
  changes.useValue(() => shown.get(shownTab)?.ownHeaders);

/** The text of a tab's last answer; of a subscription, its newest event. Empty where there is none. */
export function answerOf(tab: string): string {
  const one = shown.get(tab);
  const newest = one?.exchange.stream?.events.at(-1);
  // Events that came while another tab was in view were not written into the editor.
  return newest ? formatResult(withoutJournal(newest.result)) : (one?.answer ?? '');
}

/** The answer of the tab in view, as GraphiQL shows it. */
export function keepAnswer(answer: string): void {
  const one = shown.get(shownTab);
  if (one) shown.set(shownTab, { ...one, answer });
}

function keep(): void {
  const kept: [string, Shown][] = [];
  let left = MAX_KEPT;
  // Of too many the newest are kept.
  for (const [tab, { exchange, answer }] of [...shown].reverse()) {
    const { stream } = exchange;
    const ended = stream && { ...stream, ending: stream.ending ?? 'Ended: the page was reloaded.' };
    const one: [string, Shown] = [tab, { answer, exchange: { ...exchange, stream: ended } }];
    left -= JSON.stringify(one).length;
    if (left >= 0) kept.unshift(one);
  }
  try {
    sessionStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // A browser without room for them shows no answer after a reload.
  }
}

function readKept(): [string, Shown][] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as [string, Shown][];
  } catch {
    return [];
  }
}
