/**
 * Sends an operation, answers its results as they come, and records the exchange.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import {
  MAX_EVENTS,
  recorderOfTab,
  type EventStream,
  type Exchange,
  type Timing,
} from './exchange.ts';
import { withoutJournal } from './extensions.ts';
import { ENDPOINT, post, type GraphQLRequest, type SentHeaders } from './request.ts';
import { resultsOf } from './results.ts';
import { begin } from './subscriptions.ts';

interface Sending {
  readonly request: GraphQLRequest;
  readonly headers: SentHeaders;
  readonly isSubscription: boolean;
}

/** The results of an operation; a reader who stops ends it at the gateway. */
export function send(sending: Sending): AsyncIterable<ExecutionResult> {
  const stopping = new AbortController();
  const results = sendUntil(stopping.signal, sending);
  if (sending.isSubscription) return begin(results, stopping);
  return {
    // GraphiQL stops by an iterator of its own, while the first one still waits for a result.
    [Symbol.asyncIterator]: () => ({
      next: () => results.next(),
      return: async () => {
        stopping.abort();
        return { done: true, value: undefined };
      },
    }),
  };
}

async function* sendUntil(
  signal: AbortSignal,
  { request, headers, isSubscription }: Sending,
): AsyncGenerator<ExecutionResult, undefined> {
  const record = recorderOfTab(headers.ownJson);
  const startMs = performance.now();
  let isComplete = false;
  let exchange: Exchange = {
    request,
    requestHeaders: headers.ofPage,
    ownHeaders: headers.own,
    startedAtMs: Date.now(),
    durationMs: 0,
    status: undefined,
    headers: [],
    body: '',
    bodyBytes: 0,
    timing: undefined,
    results: 0,
    result: undefined,
    failure: undefined,
    stream: isSubscription ? { events: [], ending: undefined } : undefined,
  };
  const add = (news: Partial<Exchange>): void => {
    exchange = { ...exchange, ...news, durationMs: performance.now() - startMs };
    record(exchange);
  };
  try {
    const response = await post(request, headers.all, signal);
    add({ status: response.status, headers: [...response.headers] });
    const results = resultsOf(
      response,
      (text, bytes) => {
        const { body: before, bodyBytes } = exchange;
        exchange = { ...exchange, body: before + text, bodyBytes: bodyBytes + bytes };
      },
      () => (isComplete = true),
    );
    for await (const result of results) {
      const errors = [...(exchange.result?.errors ?? []), ...(result.errors ?? [])];
      const number = exchange.results + 1;
      add({
        results: number,
        // Errors of a subscription are those of its last event: one that passed is not an error now.
        result: {
          errors: isSubscription ? (result.errors ?? []) : errors,
          extensions: result.extensions ?? {},
        },
        stream: withEvent(exchange.stream, { number, atMs: performance.now() - startMs, result }),
      });
      yield withoutJournal(result);
    }
    add({ stream: ended(exchange, endingOf(exchange, isComplete)) });
    record({ ...exchange, timing: await timingOf(startMs, exchange.bodyBytes) });
  } catch (error) {
    const failure = signal.aborted ? 'Stopped.' : failureOf(exchange, error);
    const ending = signal.aborted ? 'Ended: it was stopped here.' : `Ended: ${failure}`;
    add({ failure, stream: ended(exchange, ending) });
    // Thrown, GraphiQL would show it with a stack of the page's own files.
    if (exchange.results === 0 && !signal.aborted) yield { errors: [new GraphQLError(failure)] };
  }
}

const withEvent = (
  stream: EventStream | undefined,
  event: EventStream['events'][number],
): EventStream | undefined =>
  stream && { ...stream, events: [...stream.events.slice(1 - MAX_EVENTS), event] };

const ended = ({ stream }: Exchange, ending: string): EventStream | undefined =>
  stream && { ...stream, ending };

/** Why no event follows. */
function endingOf({ status, result, results }: Exchange, isComplete: boolean): string {
  const code = result?.errors?.[0]?.extensions?.['code'];
  const because = typeof code === 'string' ? ` after the error ${code}` : '';
  if (isComplete) return `Complete${because}: the gateway says that no event follows.`;
  // What is refused comes as one answer of JSON.
  if (results === 1 && result?.errors?.length) return `Not begun: HTTP ${status}${because}.`;
  return 'Ended by the gateway before it was complete, as when it restarts: press Play to go on.';
}

function failureOf({ status, results }: Exchange, error: unknown): string {
  if (error instanceof SyntaxError) return `The answer, HTTP ${status}, was not JSON.`;
  if (!navigator.onLine) return 'This browser is offline.';
  return status === undefined && results === 0
    ? 'The gateway did not answer: is it running?'
    : 'The connection broke before the whole answer had come.';
}

/** What the browser measured of a request to this gateway: plans are asked for at the same time. */
async function timingOf(startMs: number, bodyBytes: number): Promise<Timing | undefined> {
  const measured = (): PerformanceResourceTiming | undefined =>
    (performance.getEntriesByName(ENDPOINT, 'resource') as PerformanceResourceTiming[]).find(
      (one) => one.startTime >= startMs && one.decodedBodySize === bodyBytes,
    );
  // The entry may come a moment after the last byte.
  for (let tries = 0; tries < 10 && !measured(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const entry = measured();
  // The browser stops recording after 250 entries unless they are taken out.
  performance.clearResourceTimings();
  return (
    entry && {
      wireBytes: entry.encodedBodySize,
      waitMs: entry.responseStart - entry.requestStart,
      receiveMs: entry.responseEnd - entry.responseStart,
    }
  );
}
