/** A server that stops while callers connect and send requests. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { openGateway } from '../support/open-gateway.ts';
import { DEFAULTS } from '../support/settings.ts';

const CALLERS = 5;

/** A worker whose callers connect and send a request when they are woken, while this thread is busy. */
const BUSY_CALLERS = `
  const { parentPort, workerData: { port, bell, connected } } = require('node:worker_threads');
  const { connect } = require('node:net');
  parentPort.postMessage('here');
  Atomics.wait(bell, 0, 0);
  const said = Array.from({ length: ${CALLERS} }, () => new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /health HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n');
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', (error) => resolve(error.code));
    socket.on('close', () => resolve(text));
  }));
  Promise.all(said).then((all) => parentPort.postMessage(all));
`;

it('responds to clients that connected while the process was busy, before it closes the port', async () => {
  const gateway = await openGateway();
  const server = await openHttpServer(gateway.gateway, { ...DEFAULTS.http, port: 0 });
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: server.port, bell, connected };
  const worker = new Worker(BUSY_CALLERS, { eval: true, workerData });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
  const said = once(worker, 'message');

  const delayMs = 200;
  const closed = server.close(5_000, delayMs);
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
  // Block this thread until the delay is over, so that the operating system alone accepts the connections.
  for (let count = 0; count < CALLERS; count = Atomics.load(connected, 0)) {
    Atomics.wait(connected, 0, count);
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);

  const [answers] = (await said) as [string[]];
  expect(answers).toHaveLength(CALLERS);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await closed).toBe(true);
});

it('keeps idle connections open while others are in use, and adds Connection: close to each further response', async () => {
  const gateway = await openGateway();
  const { close, url } = await openHttpServer(gateway.gateway, { ...DEFAULTS.http, port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = async (): Promise<string | undefined> => {
    const asked = get(`${url}/health`, { agent });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    expect(asked.reusedSocket).toBe(isDraining);
    return answer.headers.connection;
  };
  let isDraining = false;
  const before = await Promise.all(Array.from({ length: 6 }, ask));

  isDraining = true;
  const closed = close(5_000);
  const meanwhile: unknown[] = [];
  for (let i = 0; i < 5; i++) {
    await sleep(100); // shorter than the time after which idle connections are closed
    meanwhile.push(await ask());
  }

  expect(before).toEqual(Array(6).fill('keep-alive'));
  expect(meanwhile).toEqual(Array(5).fill('close'));
  // Ends with the sixth connection, which is not used again.
  expect(await closed).toBe(true);
});
