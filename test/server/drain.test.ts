/** How a server stops, seen by a caller who connects in the very moment. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { openHttpServer } from '../../src/server/http/http-server.ts';
import { openGateway } from '../support/open-gateway.ts';
import { DEFAULTS } from '../support/settings.ts';

/** Connects and asks when it is woken, from a thread of its own: this one is busy then. */
const CALLER = `
  const { parentPort, workerData: { port, bell } } = require('node:worker_threads');
  const { connect } = require('node:net');
  parentPort.postMessage('here');
  Atomics.wait(bell, 0, 0);
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /health HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n'));
  socket.on('data', (chunk) => (text += chunk));
  socket.on('error', (error) => parentPort.postMessage(error.code));
  socket.on('close', () => parentPort.postMessage(text));
`;

it('answers a caller who has connected while the process was busy, just before the port is closed', async () => {
  const gateway = await openGateway();
  const server = await openHttpServer(gateway.gateway, { ...DEFAULTS.http, port: 0 });
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CALLER, { eval: true, workerData: { port: server.port, bell } });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
  const said = once(worker, 'message');

  const delayMs = 20;
  const closed = server.close(5_000, delayMs);
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
  // Busy until the delay is over, and the caller has its connection from the system alone.
  const never = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(never, 0, 0, 10 * delayMs);

  expect(String((await said)[0])).toMatch(/^HTTP\/1\.1 200 /);
  expect(await closed).toBe(true);
});
