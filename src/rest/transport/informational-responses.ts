/**
 * Passes over the 1xx responses that may precede an answer (100 Continue, 102, 103).
 *
 * undici 7.30 destroys the connection at a 100 ("bad response" in its HTTP/1 parser), because it never
 * asks for one. A server may send it all the same, and a write would then fail although it was carried
 * out. There is no option against that, so 1xx responses are removed before the parser reads them.
 * Source: RFC 9110, section 15.2: a client must be able to parse them, and may ignore them.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Connections on which undici sees no 1xx response, except 101, which it never asks for. */
export const withoutInformational =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    connect(options, (...connected) => {
      const [error, socket] = connected;
      if (!error) skipInformational(socket);
      callback(...connected);
    });
  };

/** The longest 1xx response that is passed over, in bytes; undici refuses longer heads anyway. */
const MAX_HEAD = 16_384;

/**
 * Requests are not pipelined, and each is written in one turn of the event loop: so the first bytes read
 * after a write are the head of its answer, which is where 1xx responses are.
 */
function skipInformational(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  // Typed as one overload; all arguments are passed on.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isAtHead = false;
  /** The beginning of what may be a 1xx response. */
  let held: Buffer | undefined;

  socket.write = (bytes: unknown, encoding?: unknown, callback?: unknown) => {
    isAtHead = true;
    return write(bytes, encoding, callback);
  };
  socket.read = (size) => {
    for (;;) {
      const chunk = read(size);
      if (!isAtHead || size === 0 || chunk === null) return chunk;
      const bytes = held ? Buffer.concat([held, chunk]) : chunk;
      const end = endOfInformational(bytes);
      const rest = end === 0 ? bytes : bytes.subarray(end);
      held = mayBeInformational(rest, 0) && rest.length < MAX_HEAD ? rest : undefined;
      if (held) continue;
      isAtHead = false;
      return rest;
    }
  };
}

/** Where the last whole 1xx response at the front ends. */
function endOfInformational(bytes: Buffer): number {
  let end = 0;
  while (mayBeInformational(bytes, end)) {
    const headEnd = bytes.indexOf('\r\n\r\n', end);
    if (headEnd < 0) break;
    end = headEnd + 4;
  }
  return end;
}

const START = 'HTTP/1.1 1';
const DIGIT_AT = START.length - 1;
const ONE = 0x31;

/** Whether what has arrived may be the beginning of a 1xx response. */
function mayBeInformational(bytes: Buffer, at: number): boolean {
  // This digit alone rules out nearly all answers.
  if (bytes.length > at + DIGIT_AT && bytes[at + DIGIT_AT] !== ONE) return false;
  const start = bytes.toString('latin1', at, at + START.length + 2);
  return start.length < START.length ? START.startsWith(start) : /^HTTP\/1\.1 1(?!01)/.test(start);
}
