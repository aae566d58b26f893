/**
 * Answers by Yoga: whole ones as the plain lane writes them, answers in parts, and streams of events.
 */
import type { ExecutionResult } from 'graphql';
import { answerOf, pairsOf, type Answer } from '../../operation/result/answer.ts';
import {
  acceptsStreams,
  negotiateMediaType,
  type MediaType,
} from '../../operation/result/negotiation.ts';
import type { GatewayPlugin, ServerContext } from '../../operation/gateway-plugin.ts';
import { eventStreamResponse } from './event-stream.ts';
import { multipartResponse } from './multipart.ts';

/** Makes an answer of a result, which has passed all plugins then. */
export type WriteAnswer = (
  executed: ExecutionResult,
  mediaType: MediaType,
  context: ServerContext,
) => Promise<Answer>;

export const useResponses = (write: WriteAnswer): GatewayPlugin => ({
  onResultProcess({ request, result, serverContext, setResult, setResultProcessor }) {
    const { stream, parts } = serverContext;
    if (stream) {
      setResultProcessor(
        (results, { Response }) =>
          // What Yoga's hooks have made of the stream.
          eventStreamResponse(results as AsyncIterable<ExecutionResult>, stream, Response),
        'text/event-stream',
      );
      return;
    }
    const accept = request.headers.get('accept');
    const mediaType = negotiateMediaType(accept);
    if (!mediaType && !parts && acceptsStreams(accept)) {
      // Yoga writes one result as a stream; the status is that of the answer.
      const given = result as ExecutionResult;
      const { status } = answerOf(given, 'application/graphql-response+json');
      setResult({ ...given, extensions: { ...given.extensions, http: { status } } });
      return;
    }
    setResultProcessor(async (_result, { Response }) => {
      const answer = await write(
        result as ExecutionResult,
        mediaType ?? 'application/json',
        serverContext,
      );
      const { status, text, bytes } = answer;
      const headers = pairsOf(answer.headers);
      if (parts) return multipartResponse(parts, headers, Response);
      const body = bytes ? new Uint8Array(bytes) : text;
      return new Response(status === 304 ? null : body, { status, headers });
    }, 'application/json');
  },
});
