/**
 * HTTP as bytes on a socket: for requests that no client library would send.
 */
import { connect } from 'node:net';
import type { GatewayProcess } from '../support/gateway-process.ts';

interface RawReply {
  /** The status of the first response; 0 when none came. */
  readonly status: number;
  /** Every byte that was received. */
  readonly text: string;
  readonly closed: boolean;
  readonly tookMs: number;
}

interface RawOptions {
  /** Pieces to send afterwards, as fast as they are accepted. */
  readonly then?: Iterable<string>;
  /** How long to wait for the connection to close. @default 30_000 */
  readonly forMs?: number;
}

/** Sends bytes and reads until the gateway closes the connection, or the time is over. */
export function rawHttp(
  { port }: Pick<GatewayProcess, 'port'>,
  bytes: string,
  { then = [], forMs = 30_000 }: RawOptions = {},
): Promise<RawReply> {
  return new Promise((resolve) => {
    const startMs = performance.now();
    let text = '';
    const socket = connect(port, '127.0.0.1');
    const settle = (closed: boolean): void => {
      clearTimeout(timer);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, text, closed, tookMs: performance.now() - startMs });
      socket.destroy();
    };
    const timer = setTimeout(() => settle(false), forMs);
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => settle(true));
    socket.write(bytes, 'latin1');
    const pieces = then[Symbol.iterator]();
    const more = (): void => {
      for (let next = pieces.next(); !next.done; next = pieces.next()) {
        if (socket.destroyed || !socket.write(next.value)) return;
      }
    };
    socket.on('drain', more);
    socket.once('connect', more);
  });
}
