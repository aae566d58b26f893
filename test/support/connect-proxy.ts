/** A proxy for CONNECT whose tunnels all lead to one port of this machine, for any host. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface ConnectProxy {
  readonly url: string;
  /** The target of each tunnel: `backend.test:80`. */
  readonly asked: readonly string[];
  /** The `proxy-authorization` of the last tunnel. */
  readonly authorization: string | undefined;
  /** Connections to it that are open. */
  readonly connections: number;
  /** How the next tunnels get responses: opened, rejected, or not at all. */
  answer: 'open' | 'refuse' | 'require credentials' | 'silence';
}

export async function openConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(request.url ?? '');
    state.authorization = request.headers['proxy-authorization'];
    if (state.answer === 'silence') {
      socket.on('end', () => socket.end()).resume();
      return;
    }
    if (state.answer === 'refuse') {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    if (state.answer === 'require credentials') {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const there = connect(port, 'localhost', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.write(head);
      there.pipe(socket).pipe(there);
    });
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => there.destroy());
  });
  const state = {
    url: `http://127.0.0.1:${await listen(server)}`,
    asked,
    get connections() {
      return sockets.size;
    },
    authorization: undefined as string | undefined,
    answer: 'open' as ConnectProxy['answer'],
  };
  return state;
}
