/**
 * Reads a request's body up to a limit.
 *
 * The limit applies while the body arrives, before any consumer.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { ByteCollector } from '../../lib/byte-collector.ts';
import { clientError } from '../operation/client-error.ts';

/** Called once: with the body, with a client error, or with undefined if the connection closed early. */
type OnBody = (body: string | GraphQLError | undefined) => void;

export function readBody(request: IncomingMessage, maxBytes: number, done: OnBody): void {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const message = `Content encoding "${encoding.slice(0, 32)}" is not supported. Send the body uncompressed.`;
    done(clientError(415, 'UNSUPPORTED_MEDIA_TYPE', message));
    return;
  }
  if (Number(length ?? 0) > maxBytes) {
    done(tooLarge(maxBytes));
    return;
  }
  const bytes = new ByteCollector();
  let isDone = false;
  const end = (body: string | GraphQLError | undefined): void => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  request.on('data', (chunk: Buffer) => {
    if (bytes.size + chunk.length <= maxBytes) bytes.add(chunk);
    else end(tooLarge(maxBytes));
  });
  // `on` instead of `once`, which costs more than the rest of this function.
  request.on('end', () => {
    if (!isDone) end(decode(bytes.take()));
  });
  request.on('close', () => end(undefined));
  request.on('error', () => end(undefined));
}

const decode = (bytes: Buffer): string | GraphQLError =>
  isUtf8(bytes)
    ? withoutByteOrderMark(bytes.toString('utf8'))
    : clientError(400, 'BAD_REQUEST', 'The body is not valid UTF-8. Encode it as UTF-8.');

const tooLarge = (maxBytes: number): GraphQLError =>
  clientError(
    413,
    'BODY_TOO_LARGE',
    `The body exceeds the limit of ${maxBytes} bytes. Send a shorter one.`,
  );
