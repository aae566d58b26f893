/**
 * Sends an operation, answers its results as they come, and records the exchange.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import { recorderOfTab, type Exchange, type Timing } from './exchange.ts';
import { ENDPOINT, type GraphQLRequest } from './request.ts';
import { resultsOf } from './results.ts';

/** The results of an operation; a reader who stops ends it at the gateway. */
export function send(request: GraphQLRequest, headers: Headers): AsyncIterable<ExecutionResult> {
  const stopping = new AbortController();
  const results = sendUntil(stopping.signal, request, headers);
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
  request: GraphQLRequest,
  headers: Headers,
): AsyncGenerator<ExecutionResult, undefined> {
  const record = recorderOfTab();
  const startMs = performance.now();
  let exchange: Exchange = {
    request,
    requestHeaders: [...headers].filter(([name]) => name !== 'x-api-key'),
    startedAt: new Date(),
    durationMs: 0,
    status: undefined,
    headers: [],
    body: '',
    bodyBytes: 0,
    timing: undefined,
    results: 0,
    result: undefined,
    failure: undefined,
  };
  const add = (news: Partial<Exchange>): void => {
    exchange = { ...exchange, ...news, durationMs: performance.now() - startMs };
    record(exchange);
  };
  try {
    const body = JSON.stringify(request);
    const response = await fetch(ENDPOINT, { method: 'POST', headers, body, signal });
    add({ status: response.status, headers: [...response.headers] });
    const results = resultsOf(response, (text, bytes) => {
      const { body: before, bodyBytes } = exchange;
      exchange = { ...exchange, body: before + text, bodyBytes: bodyBytes + bytes };
    });
    for await (const result of results) {
      const errors = [...(exchange.result?.errors ?? []), ...(result.errors ?? [])];
      add({
        results: exchange.results + 1,
        result: { errors, extensions: result.extensions ?? {} },
      });
      yield withoutJournal(result);
    }
    add({});
    record({ ...exchange, timing: await timingOf(startMs, exchange.bodyBytes) });
  } catch (error) {
    const failure = signal.aborted ? 'Stopped.' : failureOf(exchange, error);
    add({ failure });
    // Thrown, GraphiQL would show it with a stack of the page's own files.
    if (exchange.results === 0 && !signal.aborted) yield { errors: [new GraphQLError(failure)] };
  }
}

/** As a client gets it that does not ask for the journal: here it has a pane of its own. */
function withoutJournal(result: ExecutionResult): ExecutionResult {
  if (!result.extensions) return result;
  const { extensions, ...others } = result;
  const { upstream: _journal, ...kept } = extensions;
  return Object.keys(kept).length > 0 ? { ...others, extensions: kept } : others;
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
