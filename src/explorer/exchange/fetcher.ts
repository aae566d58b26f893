/**
 * Sends operations to this gateway, and records what came of them.
 */
import type { Fetcher } from '@graphiql/toolkit';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
} from 'graphql';
import type { Settings } from '../settings.ts';
import { recordExchange, type Exchange } from './exchange.ts';
import { keepIntrospection, readIntrospection } from './introspection.ts';
import { streamOf } from './streams.ts';
import { ENDPOINT, requestHeaders, type GraphQLRequest } from './request.ts';

export const createFetcher =
  ({ explain, schemaId }: Settings): Fetcher =>
  async (params, options) => {
    const request = params as GraphQLRequest;
    const isIntrospection = request.operationName === 'IntrospectionQuery';
    const kept = isIntrospection ? readIntrospection(schemaId, request) : undefined;
    if (kept) return kept;
    const accept = streamedAs(request, options?.documentAST);
    const headers = requestHeaders({
      ...(explain !== 'off' && !isIntrospection && { 'x-explain': 'true' }),
      ...(accept && { accept }),
      ...(options?.headers as Record<string, string> | undefined),
    });
    if (accept) return sendForStream(request, headers);
    const exchange = await send(request, headers);
    if (!isIntrospection) recordExchange(exchange);
    if (exchange.result) {
      if (isIntrospection) keepIntrospection(schemaId, request, exchange.result);
      return exchange.result;
    }
    // Thrown, GraphiQL would show it with a stack of the page's own files.
    return { errors: [new GraphQLError(exchange.failure ?? 'There is no answer.')] };
  };

/** The media type that a document's results are asked for in, where they come one after the other. */
function streamedAs(
  { query, operationName }: GraphQLRequest,
  documentAST: DocumentNode | undefined,
): string | undefined {
  const operation = documentAST && getOperationAST(documentAST, operationName);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return 'text/event-stream';
  if (!/@(?:defer|stream)\b/.test(query)) return undefined;
  return 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9';
}

function sendForStream(request: GraphQLRequest, headers: Headers): ReturnType<typeof streamOf> {
  recordExchange(undefined);
  const startedAt = new Date();
  const startMs = performance.now();
  return streamOf(request, headers, ({ response, results, bodyBytes }) => {
    const errors = results.flatMap((result) => result.errors ?? []);
    recordExchange({
      request,
      startedAt,
      durationMs: performance.now() - startMs,
      status: response.status,
      headers: [...response.headers],
      wireBytes: 0,
      bodyBytes,
      waitMs: undefined,
      // What the calls were is told with the last part.
      result: { errors, extensions: results.at(-1)?.extensions ?? {} },
      failure: undefined,
    });
  });
}

async function send(request: GraphQLRequest, headers: Headers): Promise<Exchange> {
  const startedAt = new Date();
  const startMs = performance.now();
  const base = { request, startedAt, headers: [], waitMs: undefined };
  const ended = () => performance.now() - startMs;
  let response: Response;
  let text: string;
  try {
    response = await fetch(ENDPOINT, { method: 'POST', headers, body: JSON.stringify(request) });
    text = await response.text();
  } catch {
    const failure = navigator.onLine
      ? 'The gateway did not answer: is it running?'
      : 'This browser is offline.';
    const nothing = { status: undefined, wireBytes: 0, bodyBytes: 0, result: undefined };
    return { ...base, ...nothing, durationMs: ended(), failure };
  }
  const bodyBytes = new TextEncoder().encode(text).length;
  const timing = timingOf(startMs, bodyBytes);
  const result = asResult(text);
  return {
    ...base,
    durationMs: ended(),
    status: response.status,
    headers: [...response.headers],
    wireBytes: timing?.encodedBodySize ?? 0,
    bodyBytes,
    waitMs: timing && timing.responseStart - timing.requestStart,
    result,
    failure: result ? undefined : `The answer, HTTP ${response.status}, was not JSON.`,
  };
}

/** What the browser measured of a request to this gateway: plans are asked for at the same time. */
function timingOf(startMs: number, bodyBytes: number): PerformanceResourceTiming | undefined {
  const entries = performance.getEntriesByName(ENDPOINT, 'resource') as PerformanceResourceTiming[];
  const found = entries.find(
    ({ startTime, decodedBodySize }) => startTime >= startMs && decodedBodySize === bodyBytes,
  );
  // The browser stops recording after 250 entries unless they are taken out.
  performance.clearResourceTimings();
  return found;
}

function asResult(text: string): ExecutionResult | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
