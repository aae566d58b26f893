/** A relay to a port of this machine that delays, ignores or resets connections, as load balancers and distances do. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface Relay {
  readonly port: number;
  /** Connections to it since the last `leadTo`. */
  readonly connections: number;
  /** Sets the target, and ends the present connections. Without a target, connections are accepted and get no response. */
  leadTo(port: number | undefined): void;
  /** Sets the target of further connections; the present ones stay as they are. */
  turnTo(port: number): void;
  /** Sets the target of further connections; the present ones stay open and get no response, as from a host that is gone. */
  leaveFor(port: number): void;
  /** Resets the connections on which the backend spoke last. */
  resetIdle(): void;
}

/** @param delayMs how long everything takes each way, the end of a connection too. */
export async function openRelay(delayMs = 0): Promise<Relay> {
  const sockets = new Set<Socket>();
  const idle = new Set<Socket>();
  const left = new Set<Socket>();
  let target: number | undefined;
  let connections = 0;
  const later = (run: () => void) => void (delayMs > 0 ? setTimeout(run, delayMs) : run());
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      left.delete(socket);
    });
    if (target === undefined) return;
    const onwards = connect(target, 'localhost');
    onwards.on('error', () => {}).on('close', () => later(() => socket.destroy()));
    onwards.on('data', (bytes) => {
      if (left.has(socket)) return;
      later(() => socket.write(bytes));
      idle.add(socket);
    });
    socket.on('data', (bytes) => {
      idle.delete(socket);
      later(() => onwards.write(bytes));
    });
    socket.on('close', () => {
      idle.delete(socket);
      later(() => onwards.destroy());
    });
  });
  const port = await listen(server);
  return {
    port,
    get connections() {
      return connections;
    },
    leadTo: (to) => {
      for (const socket of sockets) socket.destroy();
      target = to;
      connections = 0;
    },
    turnTo: (to) => {
      target = to;
    },
    leaveFor: (to) => {
      for (const socket of sockets) left.add(socket);
      target = to;
    },
    resetIdle: () => {
      for (const socket of idle) socket.resetAndDestroy();
    },
  };
}
