/**
 * Results that come one after the other: of subscriptions by server-sent events, of `@defer` and
 * `@stream` by multipart.
 *
 * Source: GraphQL over Server-Sent Events, "distinct connections mode"; Incremental Delivery over HTTP.
 */
import type { ExecutionResult } from 'graphql';
import { ENDPOINT, type GraphQLRequest } from './request.ts';

export interface Streamed {
  readonly response: Response;
  readonly results: readonly ExecutionResult[];
  readonly bodyBytes: number;
}

interface Format {
  readonly type: string;
  /** What ends a piece of the body. */
  readonly end: string;
  /** The result in a piece; undefined where it has none. */
  readonly resultIn: (piece: string) => string | undefined;
}

const EVENTS: Format = {
  type: 'text/event-stream',
  end: '\n\n',
  resultIn: (piece) =>
    /^event: ?next$/m.test(piece) ? /^data: ?(.*)$/m.exec(piece)?.[1] : undefined,
};

const PARTS: Format = {
  type: 'multipart/mixed',
  end: '\r\n---',
  resultIn: (piece) => /\r\n\r\n(.+)/s.exec(piece)?.[1],
};

/**
 * Sends a request whose `accept` asks for either format; who stops reading ends it at the gateway.
 *
 * @param onEnd told what came, when everything has.
 */
export function streamOf(
  request: GraphQLRequest,
  headers: Headers,
  onEnd: (streamed: Streamed) => void,
): AsyncIterable<ExecutionResult> {
  const stopping = new AbortController();
  const results = read(request, headers, stopping.signal, onEnd);
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

async function* read(
  request: GraphQLRequest,
  headers: Headers,
  signal: AbortSignal,
  onEnd: (streamed: Streamed) => void,
): AsyncGenerator<ExecutionResult, undefined> {
  const body = JSON.stringify(request);
  const response = await fetch(ENDPOINT, { method: 'POST', headers, body, signal });
  const type = response.headers.get('content-type') ?? '';
  const format = [EVENTS, PARTS].find((one) => type.startsWith(one.type));
  const results: ExecutionResult[] = [];
  let bodyBytes = 0;
  if (!format) {
    const text = await response.text();
    bodyBytes = text.length;
    results.push(JSON.parse(text) as ExecutionResult);
    yield results[0]!;
  } else {
    let text = '';
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        bodyBytes += part.value.length;
        text += decoder.decode(part.value, { stream: true });
        const pieces = text.split(format.end);
        text = pieces.pop() ?? '';
        for (const piece of pieces) {
          const json = format.resultIn(piece);
          if (json === undefined) continue;
          const result = JSON.parse(json) as ExecutionResult;
          results.push(result);
          yield result;
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  onEnd({ response, results, bodyBytes });
}
