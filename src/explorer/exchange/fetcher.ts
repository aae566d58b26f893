/**
 * Sends operations to this gateway, and records what came of them.
 */
import type { Fetcher } from '@graphiql/toolkit';
import { getOperationAST, OperationTypeNode, type ExecutionResult } from 'graphql';
import { eventsOf } from './events.ts';
import type { Settings } from '../settings.ts';
import { recordExchange, type Exchange } from './exchange.ts';
import { keepIntrospection, readIntrospection } from './introspection.ts';
import { ENDPOINT, requestHeaders, type GraphQLRequest } from './request.ts';

export const createFetcher =
  ({ explain, schemaId }: Settings): Fetcher =>
  async (params, options) => {
    const request = params as GraphQLRequest;
    const isIntrospection = request.operationName === 'IntrospectionQuery';
    const kept = isIntrospection ? readIntrospection(schemaId, request) : undefined;
    if (kept) return kept;
    const operation =
      options?.documentAST && getOperationAST(options.documentAST, request.operationName);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return eventsOf(request);
    const headers = requestHeaders({
      ...(explain !== 'off' && !isIntrospection && { 'x-explain': 'true' }),
      ...(options?.headers as Record<string, string> | undefined),
    });
    const exchange = await send(request, headers);
    if (!isIntrospection) recordExchange(exchange);
    if (exchange.result) {
      if (isIntrospection) keepIntrospection(schemaId, request, exchange.result);
      return exchange.result;
    }
    throw new Error(exchange.failure);
  };

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
