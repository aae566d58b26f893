/**
 * Answers as responses of the Fetch API, for Yoga.
 */
import type { ExecutionResult } from 'graphql';
import { pairsOf, type Answer } from '../../operation/result/answer.ts';
import type { GatewayPlugin, ServerContext } from '../../operation/gateway-plugin.ts';
import { framesOf } from './event-stream.ts';
import { multipart } from './multipart.ts';
import { textStream } from './text-stream.ts';

/** Makes an answer of a result, which has passed all plugins then, or of the results of a subscription. */
export type WriteAnswer = (
  executed: ExecutionResult | AsyncIterable<ExecutionResult>,
  context: ServerContext,
) => Promise<Answer>;

export const useResponses = (write: WriteAnswer): GatewayPlugin => ({
  onResultProcess({ result, serverContext, setResultProcessor }) {
    setResultProcessor(
      async (_result, { Response }) =>
        responseOf(await write(result as ExecutionResult, serverContext), Response),
      'application/json',
    );
  },
});

/** What follows the head of a response, where its body is not read. */
type Streamed = Pick<Answer, 'parts' | 'events'>;

/** The streams behind responses: our HTTP server writes them without reading the bodies. */
const streams = new WeakMap<Response, Streamed>();

/** The stream that a response stands for. */
export const streamedBy = (response: Response): Streamed => streams.get(response) ?? {};

/** @param ResponseClass as the other responses of the server are made. */
function responseOf(answer: Answer, ResponseClass: typeof Response): Response {
  const { status, text, bytes, parts, events } = answer;
  const init = { status, headers: pairsOf(answer.headers) };
  if (!parts && !events) {
    const body = bytes ? new Uint8Array(bytes) : text;
    return new ResponseClass(status === 304 ? null : body, init);
  }
  const body = parts
    ? textStream(multipart(parts), () => parts.cancel())
    : textStream(framesOf(events!), () => events!.stream.close('left'));
  const response = new ResponseClass(body, init);
  streams.set(response, answer);
  return response;
}
