/**
 * A request's body, read whole and never past its limit.
 *
 * Bounded here, while it arrives, because Yoga's own limit pipes every body through a stream and
 * costs more than the rest of Yoga.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { withoutByteOrderMark } from '../../lib/byte-order-mark.ts';
import { ByteCollector } from '../../lib/byte-collector.ts';
import { refusal } from '../../operation/refusal.ts';

/** The body, the refusal of one that may not be sent, or undefined when the caller left before its end. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | GraphQLError | undefined> {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return refusal(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the body uncompressed, got content-encoding "${encoding.slice(0, 32)}".`,
    );
  }
  const bytes = Number(length ?? 0) > maxBytes ? 'tooLarge' : await collect(request, maxBytes);
  if (bytes === 'tooLarge') {
    return refusal(413, 'BODY_TOO_LARGE', `A body may have ${maxBytes} bytes: send a shorter one.`);
  }
  if (bytes && !isUtf8(bytes)) return refusal(400, 'BAD_REQUEST', 'Send the body in UTF-8.');
  return bytes && withoutByteOrderMark(bytes.toString('utf8'));
}

function collect(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'tooLarge' | undefined> {
  return new Promise((resolve) => {
    const bytes = new ByteCollector();
    request.on('data', (chunk: Buffer) => {
      if (bytes.size + chunk.length <= maxBytes) bytes.add(chunk);
      else resolve('tooLarge');
    });
    // Each comes once; `once` would cost more than all that is done here.
    request.on('end', () => resolve(bytes.take()));
    request.on('close', () => resolve(undefined));
    request.on('error', () => resolve(undefined));
  });
}
