/** T105: WebSockets that send operations faster than the turns of their key come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSocket, until, type Socket } from '../live/support.ts';
import { openCallers, type Callers } from './callers.ts';
import { expectBelow, openStand, percentile, type Stand } from './stand.ts';

let stand: Stand;
let callers: Callers;

beforeAll(async () => {
  stand = await openStand({ LOG_LEVEL: 'warn', WS_OPERATIONS: 'all' });
  callers = openCallers(stand.gateway);
});

afterAll(async () => {
  await callers.close();
  await stand.close();
});

let count = 0;

/** 18 KB of fields that the schema does not have. */
const FIELDS = `{ ${Array.from({ length: 1_900 }, (_, i) => `f@_${i}`).join(' ')} }`;

/** A document of them that no other is like, made quickly: the other caller is in this process too. */
const refused = (): string => FIELDS.replaceAll('@', String(count++));

/** Sends without pause, as far as the system takes it. */
async function flood({ socket, subscribe }: Socket): Promise<void> {
  for (; socket.readyState === socket.OPEN; await sleep(1)) {
    while (socket.bufferedAmount < 50_000) subscribe(`s${count}`, {}, refused());
  }
}

async function lookupMs(forMs: number): Promise<number> {
  const times: number[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await sleep(10)) {
    const { body, tookMs } = await callers.ask(`{ person(personId: "v${count++}") { name } }`);
    expect(body).toEqual({ data: { person: { name: 'name' } } });
    times.push(tookMs);
  }
  return percentile(times, 0.5);
}

it('T105 answers other callers within a quarter of a second beside sockets that send refused documents without pause', async () => {
  await lookupMs(500);

  await expectBelow(250, async () => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 10; i++) {
      const socket = await openSocket(stand.gateway.url, { payload: { 'x-api-key': 'unknown' } });
      void flood(socket);
      sockets.push(socket);
    }
    const during = await lookupMs(1_000);
    for (const { socket } of sockets) socket.terminate();
    return during;
  });
});

it('T105 answers all that one socket sends at once, each once', async () => {
  const socket = await openSocket(stand.gateway.url, { payload: undefined });
  const ids = Array.from({ length: 60 }, (_, i) => `m${i}`);

  for (const id of ids) socket.subscribe(id, {}, refused());
  await until(() => socket.received('error').length === ids.length);

  // Operations of one socket are independent: one may be answered before another that was sent earlier.
  const answered = socket.received('error').map(({ id }) => id);
  expect(answered.toSorted()).toEqual(ids.toSorted());
});

it('T105 does not hold an operation back behind those of its socket that wait for the backend', async () => {
  const waiting: (() => void)[] = [];
  const socket = await openSocket(stand.gateway.url, { payload: { 'x-api-key': 'a-key' } });
  stand.upstream.on('*', async (response) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    response.writeHead(404).end('{}');
  });

  for (const id of ['a', 'b', 'c']) {
    socket.subscribe(id, {}, `{ person(personId: "${id}") { name } }`);
  }

  await until(() => waiting.length === 3);
  for (const answer of waiting) answer();
  await until(() => socket.received('complete').length === 3);
});
