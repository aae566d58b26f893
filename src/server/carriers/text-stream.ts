/**
 * Text that comes piece by piece, as the body of a response.
 *
 * Nothing is read ahead: our HTTP server writes the pieces by itself, and the body is for callers of `fetch` alone.
 */

/** @param onCancel the reader wants no more, also while a piece is awaited. */
export function textStream(
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
