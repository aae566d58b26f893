/**
 * Passes over the 1xx responses that may precede an answer (100 Continue, 102, 103).
 *
 * undici 7.30 takes a 100 for a broken protocol and destroys the connection ("bad response" in its
 * HTTP/1 parser), because it never asks for one; HTTP lets a server send it all the same, several times,
 * and a write so answered would be lost although it was carried out. There is no option for it, and a
 * destroyed connection cannot be mended from outside, so these are taken out before the parser reads.
 * Source: RFC 9110, section 15.2: a client must be able to parse them, and may ignore them.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Connections whose reader sees no 1xx response but 101, which nobody asked for. */
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
 * Requests are not pipelined, and each is written in one turn of the event loop: so what is read first
 * after a write is the head of its answer, and only there a 1xx response can stand.
 */
function skipInformational(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  // The last of its overloads; whatever arguments there are, are handed on.
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isAtHead = false;
  /** What has arrived of a head that may be a 1xx response. */
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

/** Whether a 1xx response begins there, as far as can be seen. */
function mayBeInformational(bytes: Buffer, at: number): boolean {
  // Nearly all answers are told by this digit alone.
  if (bytes.length > at + DIGIT_AT && bytes[at + DIGIT_AT] !== ONE) return false;
  const start = bytes.toString('latin1', at, at + START.length + 2);
  return start.length < START.length ? START.startsWith(start) : /^HTTP\/1\.1 1(?!01)/.test(start);
}
