/**
 * Converts a response to one of the Fetch API, for callers of `fetch` and for HTTP hooks of plugins.
 *
 * Streams are not read in advance, since the HTTP server writes events and parts itself.
 */
import { pairsOf, type OperationResponse, type ResponseStream } from '../operation/response.ts';

/** @param ResponseClass class of the server's other responses. */
export function fetchResponseOf(
  { status, headers, text, bytes, stream }: OperationResponse,
  ResponseClass: typeof Response,
): Response {
  const init = { status, headers: pairsOf(headers) };
  if (stream) return new ResponseClass(bodyOf(stream), init);
  const hasBody = status !== 204 && status !== 304;
  return new ResponseClass(hasBody ? (bytes ? new Uint8Array(bytes) : text) : null, init);
}

function bodyOf({ frames, cancel }: ResponseStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await frames.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      // Not `return` of the frames, which has no effect while one is awaited.
      cancel: () => cancel(),
    },
    { highWaterMark: 0 },
  );
}
