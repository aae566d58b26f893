/** A relay in a process that is suspended at first, so that Linux ignores new connections to it and their handshakes are late. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

/** States of `/proc/net/tcp`. */
const [ESTABLISHED, SYN_SENT] = ['01', '02'];

const RELAY = `
  const { connect, createServer } = require('node:net');
  const [port, target] = process.argv.slice(1).map(Number);
  const server = createServer((socket) => {
    const onwards = connect(target, '127.0.0.1');
    socket.on('error', () => {}).pipe(onwards.on('error', () => {})).pipe(socket);
  });
  server.listen({ port, host: '127.0.0.1', backlog: 1 }, () => console.log('listening'));
`;

/** Opens a relay from a port to another; connections to it are ignored until `resume`. */
export async function openSuspendedListener(port: number, target: number) {
  const child = spawn(process.execPath, ['-e', RELAY, String(port), String(target)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  /** Number of sockets connected or connecting to the port. */
  const count = (state: string): number => {
    const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    return readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => line.trim().split(/\s+/).slice(2, 4).join() === `${remote},${state}`)
      .length;
  };
  // The backlog is full as soon as a further connection is ignored.
  for (let opened = 1; count(SYN_SENT) === 0; opened++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await until(() => count(ESTABLISHED) + count(SYN_SENT) === opened);
  }
  return {
    /** Waits until one more connection is ignored. */
    waitForIgnored: () => until(() => count(SYN_SENT) >= 2),
    resume: () => void child.kill('SIGCONT'),
  };
}
