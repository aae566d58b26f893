import { createServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import {
  after,
  cut,
  hangUp,
  ok,
  reset,
  silence,
  status,
  type Behaviour,
} from '../support/faults.ts';
import { listen } from '../support/listen.ts';
import { StagedClock } from '../support/staged-time.ts';
import { until } from '../support/until.ts';
import { failureOf, openRest, outcome, topic } from './open-rest.ts';

const PATCH = 'PATCH /v0/topics/t';
const updateTopic = (client: RestClient, cancel?: Cancel) =>
  client.call(routes.updateTopic, { path: { topic_id: 't' }, body: { title: 'x' } }, { cancel });

describe('a write', () => {
  it('T53: is unreachable, and neither sent nor retried, when the connection is refused', async () => {
    const { backend, client, calls } = await openRest({ stopped: true });

    const failure = await outcome(updateTopic(client()));
    await backend.start();
    await sleep(200);

    expect(failure).toMatchObject({ kind: 'unreachable' });
    expect(calls).toHaveLength(1);
    expect(backend.hits()).toBe(0);
  });

  it('T53: fails with timeout, not outcome_unknown, when no connection is made in time', async () => {
    const deaf = await listen(createServer());
    const { client } = await openRest({ url: `https://127.0.0.1:${deaf}`, timeoutMs: 300 });

    expect(await failureOf(updateTopic(client()))).toBe('timeout');
  });

  it.each<[string, Behaviour, timeoutMs?: number]>([
    ['a reset', reset()],
    ['a reset in the middle of the answer', reset(200)],
    ['a connection that closes without an answer', hangUp()],
    ['an answer that ends early', cut(topic('t'))],
    ['silence', silence(), 500],
  ])(
    'is sent once and fails with outcome_unknown after %s',
    async (_name, fault, timeoutMs = 3_000) => {
      const { backend, client } = await openRest({ timeoutMs });
      backend.on(PATCH, fault, ok(topic('t')));

      expect(await failureOf(updateTopic(client()))).toBe('outcome_unknown');
      await sleep(150);
      expect(backend.hits()).toBe(1);
    },
  );

  it.each([429, 502, 503, 504])('is not retried after a %i', async (code) => {
    const { backend, client } = await openRest();
    backend.on(PATCH, status(code, { 'retry-after': '0' }), ok(topic('t')));

    expect(await outcome(updateTopic(client()))).toMatchObject({ status: code });
    expect(backend.hits()).toBe(1);
  });

  it.each<[string, Behaviour]>([
    ['ends', hangUp()],
    ['is reset', reset()],
  ])(
    'is sent once and fails with outcome_unknown when its kept connection %s',
    async (_name, close) => {
      const { backend, client } = await openRest();
      backend.on('GET /v0/topics/t', ok(topic('t')));
      backend.on(PATCH, close);
      await client().call(routes.getTopic, { path: { topic_id: 't' } });

      const failure = await failureOf(updateTopic(client()));
      await sleep(100);

      expect(failure).toBe('outcome_unknown');
      expect(backend.hits(PATCH)).toBe(1);
    },
  );

  it('is sent at most once when idle connections end at the same moment', async () => {
    const { backend, client } = await openRest();
    const idle = new Set<Socket>();
    backend.on('GET /v0/topics/t', (response, seen, socket) => {
      idle.add(socket);
      return ok(topic('t'))(response, seen, socket);
    });
    backend.on(PATCH, ok(topic('t')));
    const failures: string[] = [];

    for (let i = 0; i < 40; i++) {
      await client().call(routes.getTopic, { path: { topic_id: 't' } });
      const wait = i % 4;
      const ending = sleep(wait).then(() => {
        for (const socket of idle) socket.end();
        idle.clear();
      });
      await sleep(1);
      failures.push(await failureOf(updateTopic(client())));
      await ending;
    }

    const told = failures.filter((name) => name === 'none').length;
    expect(backend.hits(PATCH)).toBeLessThanOrEqual(40);
    expect(backend.hits(PATCH)).toBeGreaterThanOrEqual(told);
    expect(new Set(failures)).toEqual(
      new Set(failures.filter((name) => name === 'none' || name === 'outcome_unknown')),
    );
  });

  it('is finished when its caller leaves', async () => {
    const { backend, client } = await openRest();
    backend.on(PATCH, after(100, ok(topic('t'))));
    const leaving = new Cancel();

    const written = updateTopic(client({ leaving }), leaving);
    await until(() => backend.hits() === 1);
    leaving.cancel();

    expect(await written).toEqual(topic('t'));
  });

  it('fails with outcome_unknown at the deadline of its request', async () => {
    const clock = new StagedClock();
    const { backend, client } = await openRest({ clock });
    backend.on(PATCH, silence());
    let failure: string | undefined;

    const asked = failureOf(updateTopic(client({ deadlineMs: clock.now() + 200 }))).then(
      (name) => (failure = name),
    );
    await until(() => backend.hits() === 1);
    clock.pass(199);
    await turn();
    expect(failure).toBeUndefined();
    clock.pass(1);

    expect(await asked).toBe('outcome_unknown');
  });
});
