/** T105: WebSockets that send many operations at once. */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openSocket } from '../live/support.ts';
import { openTestbed } from './testbed.ts';
import { until } from '../support/until.ts';

const testbed = await openTestbed({ LOG_LEVEL: 'warn' });
beforeEach(() => testbed.forget());

afterAll(async () => {
  await testbed.close();
});

let count = 0;

/** 18 KB of fields that the schema does not have. */
const FIELDS = `{ ${Array.from({ length: 1_900 }, (_, i) => `f@_${i}`).join(' ')} }`;

/** A new document of these fields, made quickly, because the client is in this process. */
const refused = (): string => FIELDS.replaceAll('@', String(count++));

it('T105 responds exactly once to each of sixty operations sent concurrently over one socket', async () => {
  const socket = await openSocket(testbed.gateway.url, { payload: undefined });
  const ids = Array.from({ length: 60 }, (_, i) => `m${i}`);

  for (const id of ids) socket.subscribe(id, {}, refused());
  await until(() => socket.received('error').length === ids.length);

  // Operations of one socket are independent: one may get a response before another that was sent earlier.
  const answered = socket.received('error').map(({ id }) => id);
  expect(answered.toSorted()).toEqual(ids.toSorted());
});

it('T105 starts an operation while other operations of the same socket wait for the backend', async () => {
  const waiting: (() => void)[] = [];
  const socket = await openSocket(testbed.gateway.url, { payload: { 'x-api-key': 'a-key' } });
  testbed.upstream.on('*', async (response) => {
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
