/**
 * Serves requests with an `Upgrade` header: WebSocket is accepted, other protocols are ignored.
 *
 * With a listener, Node emits `upgrade` for every protocol. Upgrades to others are optional (Java's client offers `h2c`
 * with its first request), so these requests are served without an upgrade.
 */
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { arrive } from '../operation/operation.ts';
import type { CheckAddress } from './address.ts';
import type { Site } from './site.ts';

type OnUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;

export const upgradeListener =
  (server: Server, site: Site, checkAddress: CheckAddress): OnUpgrade =>
  (incoming, socket, head) => {
    // Node handles errors of a socket only while it reads requests from it.
    socket.on('error', () => socket.destroy());
    const { upgrade = '' } = incoming.headers;
    if (upgrade.toLowerCase() !== 'websocket') {
      socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(incoming), 'latin1'), head]));
      server.emit('connection', socket);
      return;
    }
    const error = checkAddress(incoming) ?? site.upgrade(incoming, socket, head);
    if (error) void reject(incoming, socket, error);
  };

const OF_UPGRADES = new Set(['upgrade', 'connection', 'http2-settings']);

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (OF_UPGRADES.has(rawHeaders[i]!.toLowerCase())) continue;
    head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

async function reject(
  { headers }: IncomingMessage,
  socket: Duplex,
  response: Response,
): Promise<void> {
  const body = await response.text();
  const { status } = response;
  response.headers.set('x-request-id', arrive(headers['x-request-id']).requestId);
  response.headers.set('content-length', String(Buffer.byteLength(body)));
  response.headers.set('connection', 'close');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Array.from(response.headers, ([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
