/**
 * A subscription's results as they come, by server-sent events.
 *
 * Source: GraphQL over Server-Sent Events, "distinct connections mode".
 */
import type { ExecutionResult } from 'graphql';
import { ENDPOINT, requestHeaders, type GraphQLRequest } from './request.ts';

/** Ends the subscription at the gateway when its reader stops. */
export function eventsOf(request: GraphQLRequest): AsyncIterable<ExecutionResult> {
  const stopping = new AbortController();
  const results = read(request, stopping.signal);
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
  signal: AbortSignal,
): AsyncGenerator<ExecutionResult, undefined> {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: requestHeaders({ accept: 'text/event-stream' }),
    body: JSON.stringify(request),
    signal,
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield (await response.json()) as ExecutionResult;
    return;
  }
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, name] = /^event: ?(.*)$/m.exec(event) ?? [];
        const [, data] = /^data: ?(.*)$/m.exec(event) ?? [];
        if (name === 'complete') return;
        if (name === 'next' && data) yield JSON.parse(data) as ExecutionResult;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
