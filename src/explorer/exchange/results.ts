/**
 * The results in a response: JSON, server-sent events (subscriptions) or multipart (`@defer`, `@stream`). Source:
 * GraphQL over Server-Sent Events, "distinct connections mode"; Incremental Delivery over HTTP.
 */
import type { ExecutionResult } from 'graphql';
import { parseExactly } from './json.ts';

interface Format {
  readonly type: string;
  /** Separator of pieces of the body. */
  readonly end: string;
  readonly resultIn: (piece: string) => string | undefined;
  /** Whether a piece announces that no result follows. */
  readonly isLast?: (piece: string) => boolean;
}

const EVENTS: Format = {
  type: 'text/event-stream',
  end: '\n\n',
  resultIn: (piece) =>
    /^event: ?next$/m.test(piece) ? /^data: ?(.*)$/m.exec(piece)?.[1] : undefined,
  isLast: (piece) => /^event: ?complete$/m.test(piece),
};

const PARTS: Format = {
  type: 'multipart/mixed',
  end: '\r\n--graphql',
  resultIn: (piece) => /\r\n\r\n(.+)/s.exec(piece)?.[1],
};

export const isParts = (contentType: string): boolean => contentType.startsWith(PARTS.type);

/**
 * Yields each result as soon as it has arrived.
 *
 * @param onComplete called when the gateway announces that no result follows.
 * @throws SyntaxError when a result is not JSON; TypeError when the connection breaks, or ends before the last part.
 */
export async function* resultsOf(
  response: Response,
  onChunk?: (text: string, bytes: number) => void,
  onComplete?: () => void,
): AsyncGenerator<ExecutionResult, undefined> {
  const type = response.headers.get('content-type') ?? '';
  const format = [EVENTS, PARTS].find((one) => type.startsWith(one.type));
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let unread = '';
  let hasNext = true;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const text = decoder.decode(chunk.value, { stream: true });
    onChunk?.(text, chunk.value.length);
    unread += text;
    if (!format) continue;
    const pieces = unread.split(format.end);
    unread = pieces.pop() ?? '';
    for (const piece of pieces) {
      const json = format.resultIn(piece);
      if (json !== undefined) {
        const result = parseExactly(json) as ExecutionResult & { readonly hasNext?: boolean };
        hasNext = result.hasNext ?? hasNext;
        yield result;
      }
      if (format.isLast?.(piece)) onComplete?.();
    }
  }
  if (format === PARTS && hasNext) throw new TypeError('The body ended before its last part.');
  if (!format) yield parseExactly(unread) as ExecutionResult;
}
