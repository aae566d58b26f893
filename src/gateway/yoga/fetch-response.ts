/**
 * Converts a response to one of the Fetch API, for callers of `fetch` and for HTTP hooks of plugins.
 *
 * Streams are not read in advance, since the HTTP server writes events and parts itself.
 */
import { COMPLETE, eventOf, multipart } from '../operation/framing.ts';
import {
  formatResult,
  pairsOf,
  type EventStream,
  type OperationResponse,
} from '../operation/response.ts';

/** @param ResponseClass class of the server's other responses. */
export function fetchResponseOf(
  { status, headers, text, bytes, parts, events }: OperationResponse,
  ResponseClass: typeof Response,
): Response {
  const init = { status, headers: pairsOf(headers) };
  if (parts)
    return new ResponseClass(
      textStream(multipart(parts), () => parts.cancel()),
      init,
    );
  if (events) {
    const close = (): void => events.stream.close('left');
    return new ResponseClass(textStream(framesOf(events), close), init);
  }
  const hasBody = status !== 204 && status !== 304;
  return new ResponseClass(hasBody ? (bytes ? new Uint8Array(bytes) : text) : null, init);
}

/** The frames of a stream. */
async function* framesOf({ results, stream }: EventStream): AsyncGenerator<string, void> {
  for await (const result of results) yield eventOf(JSON.stringify(formatResult(result)));
  if (stream.cause === 'complete') yield COMPLETE;
}

/** @param onCancel called when the reader cancels, even while a piece is awaited. */
function textStream(
  pieces: AsyncIterator<string, void>,
  onCancel: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}
