import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RestClient } from '../../src/rest/client/client.ts';
import { RestOverloadedError } from '../../src/rest/client/errors.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, ok, silence, status } from '../support/faults.ts';
import { failureOf, NO_BREAKER, openRest, outcome, person, topic, type Rest } from './open-rest.ts';

const getPerson = (client: RestClient, id: number | string) =>
  client.call(routes.getPerson, { path: { person_id: String(id) } });

/** Lets the backend accept these keys: until then all of them count as one key. */
async function accept({ backend, client }: Rest, ...keys: readonly string[]): Promise<void> {
  backend.on('*', ok(person('p')));
  for (const apiKey of keys) await getPerson(client({ apiKey }), 'accepted');
}

describe('the concurrency limiter', () => {
  it('never has more calls under way than there are connections', async () => {
    const rest = await openRest({ connections: 8 });
    const { backend, client } = rest;
    await accept(rest, ...Array.from({ length: 20 }, (_, i) => `k${i}`));
    let now = 0;
    let most = 0;
    backend.on('*', async (...args) => {
      most = Math.max(most, ++now);
      await sleep(5);
      now -= 1;
      await ok(person('p'))(...args);
    });

    await Promise.all(
      Array.from({ length: 200 }, (_, i) => getPerson(client({ apiKey: `k${i % 20}` }), i)),
    );

    expect(most).toBe(8);
  });

  it('leaves a newcomer connections when one key takes all it can', async () => {
    const rest = await openRest({ connections: 16 });
    const { backend, client } = rest;
    await accept(rest, 'noisy', 'quiet');
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'noisy' ? silence() : ok(person('p')))(response, seen, socket),
    );
    for (let i = 0; i < 100; i++) void outcome(getPerson(client({ apiKey: 'noisy' }), i));
    await sleep(50);
    const times: number[] = [];

    for (let i = 0; i < 50; i++) {
      const begun = performance.now();
      await getPerson(client({ apiKey: 'quiet' }), i);
      times.push(performance.now() - begun);
    }

    // Seven eighths of all for the key, nine tenths of these for its one route; and one to be accepted.
    expect(backend.seen.filter((s) => s.headers['x-api-key'] === 'noisy')).toHaveLength(13 + 1);
    expect(times.sort((a, b) => a - b)[48]).toBeLessThan(30);
  });

  it('has deferred calls wait behind the others of their key, and leaves these half of what is free', async () => {
    const rest = await openRest({ connections: 16, breaker: NO_BREAKER });
    const { backend, client } = rest;
    await accept(rest, 'key');
    backend.on('*', after(20, ok(person('p'))));
    const sent = vi.spyOn(BackendDispatcher.prototype, 'dispatch');
    onTestFinished(() => sent.mockRestore());
    const asked = client({ apiKey: 'key' });
    asked.deferWhere((origin) => origin === 'deferred');
    const ask = (kind: string, i: number) =>
      asked.call(
        routes.getPerson,
        { path: { person_id: `${kind}-${i}` } },
        { origin: kind === 'deferred' ? kind : undefined },
      );

    const deferred = Array.from({ length: 20 }, (_, i) => ask('deferred', i));
    const others = Array.from({ length: 20 }, (_, i) => ask('now', i));
    await Promise.all([...deferred, ...others]);

    // As they were sent: on connections of their own they may arrive in another order.
    const order = sent.mock.calls.flatMap(([{ path }]) => {
      const [, kind] = /(deferred|now)-/.exec(path) ?? []; // calls of the test before may still be queued
      return kind ? [kind === 'deferred'] : [];
    });
    const lastNow = order.lastIndexOf(false);
    // Those that began when nothing else was asked for, and never one between the others that waited.
    const early = order.slice(0, lastNow).filter((isDeferred) => isDeferred);
    expect(early.length).toBeLessThanOrEqual(8);
    expect(order).toHaveLength(40);
  });

  it('lets keys take turns, however much one of them asks', async () => {
    const rest = await openRest({ connections: 4 });
    const { backend, client } = rest;
    await accept(rest, 'many', 'few');
    backend.on('*', after(10, ok(person('p'))));
    const order: string[] = [];
    const ask = async (apiKey: string, i: number) => {
      await getPerson(client({ apiKey }), i);
      order.push(apiKey);
    };

    const many = Array.from({ length: 100 }, (_, i) => ask('many', i));
    await sleep(5);
    await Promise.all([ask('few', 1), ask('few', 2), ask('few', 3)]);

    expect(order.length).toBeLessThan(20);
    await Promise.all(many);
  });

  it('answers requests of many calls one after the other, not all at the end', async () => {
    const rest = await openRest({ connections: 16 });
    const { backend, client } = rest;
    const keys = Array.from({ length: 8 }, (_, i) => `key${i}`);
    await accept(rest, ...keys);
    backend.on('*', after(5, ok(person('p'))));
    const order: string[] = [];

    await Promise.all(
      keys.flatMap((apiKey) =>
        Array.from({ length: 16 }, async (_, i) => {
          await getPerson(client({ apiKey }), i);
          order.push(apiKey);
        }),
      ),
    );

    const ends = keys.map((key) => order.lastIndexOf(key)).sort((one, other) => one - other);
    // With a turn of one call each, all eight would end with the last dozen answers.
    expect(ends[3]).toBeLessThan(96);
    expect(order).toHaveLength(128);
  });

  it('starts the few calls of a key that has just begun to wait before the many of others', async () => {
    const rest = await openRest({ connections: 16 });
    const { backend, client } = rest;
    const busy = Array.from({ length: 8 }, (_, i) => `busy${i}`);
    await accept(rest, ...busy, 'few');
    backend.on('*', after(5, ok(person('p'))));
    const order: string[] = [];
    const ask = async (apiKey: string, i: number) => {
      await getPerson(client({ apiKey }), i);
      order.push(apiKey);
    };

    const many = busy.flatMap((key) => Array.from({ length: 100 }, (_, i) => ask(key, i)));
    // Until each of them has had its first turn.
    while (order.length < 200) await sleep(5);
    const before = order.length;
    await Promise.all([ask('few', 1), ask('few', 2), ask('few', 3)]);

    // Some answers were under way; a turn of the eight others would be 128 calls.
    expect(order.length - before).toBeLessThan(64);
    await Promise.all(many);
  });

  it('refuses more than 256 waiting calls while the backend’s pace is unknown', async () => {
    const { backend, client, told } = await openRest({ connections: 4, requestTimeoutMs: 300 });
    backend.on('*', silence());
    const begun = performance.now();

    const calls = Array.from({ length: 300 }, (_, i) =>
      failureOf(getPerson(client(), i)).then((name) => ({
        name,
        ms: performance.now() - begun,
      })),
    );
    const shed = (await Promise.all(calls)).filter(
      ({ name, ms }) => name === 'RestOverloadedError' && ms < 200,
    );

    expect(shed).toHaveLength(300 - 256 - 4);
    expect(told.filter((name) => name === 'shed')).toHaveLength(300 - 256 - 4);
  });

  it('T25: refuses at once what could not be answered in time', async () => {
    const { backend, client } = await openRest({ connections: 4, timeoutMs: 500 });
    backend.on('*', after(50, ok(person('p'))));
    await getPerson(client(), 'first');
    const begun = performance.now();

    const results = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const result = await outcome(getPerson(client(), i));
        return { result, ms: performance.now() - begun };
      }),
    );
    const shed = results.filter(({ result }) => result instanceof Error);

    // Four connections at 50 ms a call: about forty fit into half a second.
    expect(200 - shed.length).toBeGreaterThan(12);
    expect(200 - shed.length).toBeLessThan(56);
    expect(new Set(shed.map(({ result }) => (result as Error).name))).toEqual(
      new Set(['RestOverloadedError']),
    );
    expect(shed.filter(({ ms }) => ms < 100).length).toBeGreaterThan(shed.length - 5);
    expect((shed[0]!.result as { retryAfterMs?: number }).retryAfterMs).toBeGreaterThanOrEqual(
      1_000,
    );
    expect(await getPerson(client(), 'after')).toBeDefined();
  });

  it('takes a busy time for no measure of what comes after a pause', async () => {
    const { backend, client } = await openRest({ connections: 4, timeoutMs: 1_000 });
    const burst = (count: number, name: string) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => failureOf(getPerson(client(), `${name}${i}`))),
      );
    backend.on('*', after(10, ok(person('p'))));
    await burst(4, 'quick');
    backend.on('*', after(300, ok(person('p'))));
    await burst(8, 'slow');
    backend.on('*', after(10, ok(person('p'))));
    // Until no call has ended lately.
    await sleep(1_100);

    const failures = await burst(40, 'after');

    expect(failures.filter((name) => name !== 'none')).toEqual([]);
  });

  it('lets a long queue wait when the backend is quick', async () => {
    const { backend, client } = await openRest();
    backend.on('*', ok(person('p')));
    for (let i = 0; i < 50; i++) await getPerson(client(), i);

    const answers = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, i) => getPerson(client(), i)),
    );

    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it.each<[string, (i: number) => string]>([
    ['a key', () => 'key-a'],
    ['all keys', (i) => `k${i % 20}`],
  ])('T63: leaves other routes their connections when one is silent for %s', async (_, keyOf) => {
    const rest = await openRest({ breaker: NO_BREAKER, timeoutMs: 1_500 });
    const { backend, client, told } = rest;
    const keys = [...new Set(Array.from({ length: 20 }, (_one, i) => keyOf(i)))];
    await accept(rest, ...keys);
    backend.on('*', silence());
    backend.on('GET /v0/topics/t', ok(topic('t')));
    const silent = Array.from({ length: 400 }, (_one, i) =>
      outcome(getPerson(client({ apiKey: keyOf(i), deadlineMs: performance.now() + 1_400 }), i)),
    );
    await sleep(50);
    const times: number[] = [];

    for (let i = 0; i < 100; i++) {
      const begun = performance.now();
      await client({ apiKey: keyOf(i) }).call(routes.getTopic, { path: { topic_id: 't' } });
      times.push(performance.now() - begun);
    }

    expect(times.sort((a, b) => a - b)[95]).toBeLessThan(30);
    expect(told).not.toContain('shed');
    await Promise.all(silent);
  });

  it('T66: gives all keys together that the backend has not accepted one turn', async () => {
    const rest = await openRest({ connections: 8 });
    const { backend, client } = rest;
    await accept(rest, 'known');
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'known' ? ok(person('p')) : after(40, status(401)))(
        response,
        seen,
        socket,
      ),
    );
    const flood = Array.from({ length: 200 }, (_, i) =>
      outcome(getPerson(client({ apiKey: `invented-${i}` }), i)),
    );
    await sleep(20);
    const times: number[] = [];

    for (let i = 0; i < 20; i++) {
      const begun = performance.now();
      await Promise.all([0, 1, 2].map((j) => getPerson(client({ apiKey: 'known' }), `${i}-${j}`)));
      times.push(performance.now() - begun);
    }

    // Three calls side by side, of which some wait for one answer to the others.
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(60);
    await Promise.all(flood);
  });

  it('T66: counts a key among the unaccepted again when the backend refuses it', async () => {
    const rest = await openRest({ connections: 16 });
    const { backend, client } = rest;
    await accept(rest, 'revoked', 'known');
    backend.on('*', status(401));
    await outcome(getPerson(client({ apiKey: 'revoked' }), 'refused'));
    backend.on('*', silence());
    for (let i = 0; i < 40; i++) {
      void outcome(getPerson(client({ apiKey: i % 2 ? 'revoked' : 'invented' }), i));
    }
    await sleep(50);

    // As many as one key alone may have of a route.
    expect(backend.seen.slice(3)).toHaveLength(13);
  });

  it('T64: says when to come back while calls of a key would be refused, and makes one refusal for each wait', async () => {
    const rest = await openRest({ connections: 4, timeoutMs: 500 });
    const { backend, client, upstream } = rest;
    await accept(rest, 'busy', 'other');
    backend.on('*', after(50, ok(person('p'))));
    expect(upstream.shedMs('busy')).toBeUndefined();

    const results = Array.from({ length: 200 }, (_, i) =>
      outcome(getPerson(client({ apiKey: 'busy' }), i)),
    );
    await sleep(150);
    const shed = [upstream.shedMs('busy'), upstream.shedMs('other'), upstream.shedMs('stranger')];
    const refusals = (await Promise.all(results)).filter(
      (one) => one instanceof RestOverloadedError,
    );

    expect(shed).toEqual([expect.any(Number), undefined, undefined]);
    expect(shed[0]).toBeGreaterThanOrEqual(1_000);
    expect(refusals.length).toBeGreaterThan(100);
    const waits = new Set(refusals.map(({ retryAfterMs }) => retryAfterMs));
    expect(new Set(refusals).size).toBe(waits.size);
    expect(waits.size).toBeLessThan(4);
    expect(upstream.shedMs('busy')).toBeUndefined();
  });
});
