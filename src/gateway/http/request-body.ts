/**
 * A request's body, read whole and never past its limit.
 *
 * Bounded here, while it arrives, whoever reads it.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { ByteCollector } from '../../lib/byte-collector.ts';
import { clientError } from '../operation/client-error.ts';

/** Called once: with the body, the error of one that may not be sent, or undefined when the connection closed before its end. */
export type OnBody = (body: string | GraphQLError | undefined) => void;

export function readBody(request: IncomingMessage, maxBytes: number, done: OnBody): void {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const message = `Send the body uncompressed, got content-encoding "${encoding.slice(0, 32)}".`;
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
  // Each comes once; `once` would cost more than all that is done here.
  request.on('end', () => {
    if (!isDone) end(textOf(bytes.take()));
  });
  request.on('close', () => end(undefined));
  request.on('error', () => end(undefined));
}

const textOf = (bytes: Buffer): string | GraphQLError =>
  isUtf8(bytes)
    ? withoutByteOrderMark(bytes.toString('utf8'))
    : clientError(400, 'BAD_REQUEST', 'Send the body in UTF-8.');

const tooLarge = (maxBytes: number): GraphQLError =>
  clientError(413, 'BODY_TOO_LARGE', `A body may have ${maxBytes} bytes: send a shorter one.`);
