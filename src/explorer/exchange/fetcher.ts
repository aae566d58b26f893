/** GraphiQL's fetcher: sends and records operations, and loads the schema. */
import type { Fetcher } from '@graphiql/toolkit';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import type { PageSettings } from '../../client/page-settings.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import { noteKey } from './api-key.ts';
import {
  forgetExchange,
  MAX_EVENTS,
  recorderOfTab,
  type ReceivedEvents,
  type TabExchange,
  type Timing,
} from './exchange.ts';
import { withoutCallLog } from './extensions.ts';
import {
  acceptOf,
  ENDPOINT,
  post,
  readOperation,
  requestHeaders,
  type GraphQLRequest,
  type SentHeaders,
} from './request.ts';
import { resultsOf } from './results.ts';
import { resultsInView, startSubscription } from './subscriptions.ts';

/** Whether the page has the schema: introspection after that is "Re-fetch GraphQL schema". */
let hasSchema = false;

type OwnHeaders = Readonly<Record<string, unknown>> | undefined;

/** @param complete replaces placeholders in a request before it is sent. */
export const createFetcher =
  (
    { explain, schemaId }: PageSettings,
    complete: (request: GraphQLRequest) => Promise<GraphQLRequest>,
  ): Fetcher =>
  async (params, options) => {
    const own = options?.headers;
    // Introspection by GraphiQL has no parsed document; requests of users have one.
    if (params.operationName === 'IntrospectionQuery' && !options?.documentAST) {
      return introspect(schemaId, params, own);
    }
    const goesOn = resultsInView();
    if (goesOn) return goesOn;
    const given = await complete(params);
    // The gateway's error says what is wrong with a document that cannot be parsed.
    const { request = given, operation } = orUndefined(() => readOperation(given)) ?? {};
    const isSubscription = operation?.operation === OperationTypeNode.SUBSCRIPTION;
    const accept = acceptOf(request.query, isSubscription);
    let headers: SentHeaders;
    try {
      headers = requestHeaders(
        { ...(accept && { accept }), ...(explain !== 'off' && { 'x-explain': 'true' }) },
        own,
      );
    } catch (error) {
      forgetExchange();
      return { errors: [new GraphQLError(`Not sent. Headers: ${(error as Error).message}`)] };
    }
    const stopping = new AbortController();
    const results = send(request, headers, isSubscription, stopping.signal);
    if (isSubscription) return startSubscription(results, stopping);
    return {
      // GraphiQL calls `return` on a second iterator while `next` of the first is pending.
      [Symbol.asyncIterator]: () => ({
        next: () => results.next(),
        return: async () => {
          stopping.abort();
          return { done: true, value: undefined };
        },
      }),
    };
  };

/** Prevents cross-site requests; required for a GET without an API key. */
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

/** By GET, with the id of the schema, so that the browser's cache has each version of the schema. */
async function introspect(
  schemaId: string | undefined,
  { query }: GraphQLRequest,
  own: OwnHeaders,
): Promise<ExecutionResult> {
  try {
    const params = new URLSearchParams({ query, ...(schemaId && { schemaId }) });
    const headers = requestHeaders(PREFLIGHT, own).all;
    // A schema that is fetched again may be newer than the id that the page has.
    const cache = hasSchema ? 'no-store' : 'force-cache';
    const response = await fetch(`${ENDPOINT}?${params}`, { headers, cache });
    const result = (await response.json()) as ExecutionResult;
    hasSchema ||= Boolean(result.data);
    return result;
  } catch {
    return { errors: [new GraphQLError('The schema could not be loaded.')] };
  }
}

/** Yields and records the results of an operation. */
async function* send(
  request: GraphQLRequest,
  headers: SentHeaders,
  isSubscription: boolean,
  signal: AbortSignal,
): AsyncGenerator<ExecutionResult, undefined> {
  const record = recorderOfTab(headers.ownJson);
  const startMs = performance.now();
  let isComplete = false;
  let exchange: TabExchange = {
    request,
    requestHeaders: headers.ofPage,
    startedAtMs: Date.now(),
    durationMs: 0,
    headers: [],
    body: '',
    bodyBytes: 0,
    results: 0,
    stream: isSubscription ? { events: [], ending: undefined } : undefined,
  };
  const add = (news: Partial<TabExchange>): void => {
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
      noteKey(headers.all.get('x-api-key'), result);
      const errors = [...(exchange.result?.errors ?? []), ...(result.errors ?? [])];
      const number = exchange.results + 1;
      add({
        results: number,
        // Errors of earlier events of a subscription do not count.
        result: {
          errors: isSubscription ? (result.errors ?? []) : errors,
          extensions: result.extensions ?? {},
        },
        stream: withEvent(exchange.stream, { number, atMs: performance.now() - startMs, result }),
      });
      yield withoutCallLog(result);
    }
    add({ stream: withEnding(exchange, endingOf(exchange, isComplete)) });
    record({ ...exchange, timing: await timingOf(startMs, exchange.bodyBytes) });
  } catch (error) {
    const failure = signal.aborted ? 'Stopped.' : failureOf(exchange, error);
    const ending = signal.aborted ? 'Ended: you stopped it.' : `Ended: ${failure}`;
    add({ failure, stream: withEnding(exchange, ending) });
    // GraphiQL shows thrown errors with their stack.
    if (exchange.results === 0 && !signal.aborted) yield { errors: [new GraphQLError(failure)] };
  }
}

const withEvent = (
  stream: ReceivedEvents | undefined,
  event: ReceivedEvents['events'][number],
): ReceivedEvents | undefined =>
  stream && { ...stream, events: [...stream.events.slice(1 - MAX_EVENTS), event] };

const withEnding = ({ stream }: TabExchange, ending: string): ReceivedEvents | undefined =>
  stream && { ...stream, ending };

function endingOf({ status, result, results }: TabExchange, isComplete: boolean): string {
  const code = result?.errors?.[0]?.extensions?.['code'];
  const because = typeof code === 'string' ? ` after the error ${code}` : '';
  if (isComplete) return `Complete${because}.`;
  // Rejected subscriptions have one JSON response.
  if (results === 1 && result?.errors?.length) return `Not started: HTTP ${status}${because}.`;
  return 'Ended by the gateway before it was complete, for example on a restart. Run it again to resubscribe.';
}

function failureOf({ status, results }: TabExchange, error: unknown): string {
  if (error instanceof SyntaxError) return `The response (HTTP ${status}) is not JSON.`;
  if (!navigator.onLine) return 'This browser is offline.';
  return status === undefined && results === 0
    ? 'The gateway did not respond. Is it running?'
    : 'The connection broke before the response was complete.';
}

/** The browser's measurements of this request, distinguished from those of plans by its start and size. */
async function timingOf(startMs: number, bodyBytes: number): Promise<Timing | undefined> {
  const measured = (): PerformanceResourceTiming | undefined =>
    (performance.getEntriesByName(ENDPOINT, 'resource') as PerformanceResourceTiming[]).find(
      (one) => one.startTime >= startMs && one.decodedBodySize === bodyBytes,
    );
  // The entry may be added after the last byte.
  for (let tries = 0; tries < 10 && !measured(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const entry = measured();
  // Browsers record at most 250 entries.
  performance.clearResourceTimings();
  return (
    entry && {
      wireBytes: entry.encodedBodySize,
      waitMs: entry.responseStart - entry.requestStart,
      receiveMs: entry.responseEnd - entry.responseStart,
    }
  );
}
