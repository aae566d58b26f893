import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasKind } from '../../src/rest/call/errors.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { BUSY_CALLS, BUSY_MS } from '../../src/rest/policies/concurrency-limiter.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, held, ok, silence, status } from '../support/faults.ts';
import { until } from '../support/until.ts';
import {
  NO_BREAKER,
  openRest,
  outcome,
  person,
  personAsked,
  topic,
  type Rest,
} from './open-rest.ts';
import { afterOn, FakeClock } from '../support/fake-clock.ts';

const getPerson = (client: RestClient, id: number | string) =>
  client.call(routes.getPerson, { path: { person_id: String(id) } });

const getTopic = (client: RestClient, id: number) =>
  client.call(routes.getTopic, { path: { topic_id: String(id) } });

/** Lets the backend accept these keys: until then all of them count as one key. */
async function accept({ backend, client }: Rest, ...keys: readonly string[]): Promise<void> {
  backend.on('*', ok(personAsked));
  for (const apiKey of keys) await getPerson(client({ apiKey }), 'accepted');
}

/** All four connections are taken, by a call of a key each: they end by `release` of `one` and of the other `calls`. */
async function openFull(...more: readonly string[]) {
  const clock = new FakeClock();
  const rest = await openRest({ clock, connections: 4, breaker: NO_BREAKER });
  const keys = ['a', 'b', 'c', 'd'];
  await accept(rest, ...keys, ...more);
  const calls = held(ok(personAsked));
  rest.backend.on('*', calls.behaviour);
  const one = held(ok(topic('0')));
  rest.backend.on('GET /v0/topics/0', one.behaviour);
  const asked = keys.map((apiKey, i) =>
    // No route may use all connections.
    i < 2 ? getTopic(rest.client({ apiKey }), i) : getPerson(rest.client({ apiKey }), i),
  );
  void Promise.allSettled(asked);
  await until(() => rest.backend.hits() === keys.length + more.length + 4);
  return { ...rest, clock, one, first: asked[0], calls, limiter: rest.upstream.limiter };
}

/** 64 connections with 36 calls in flight. */
async function openBusy() {
  const clock = new FakeClock();
  const rest = await openRest({ clock, connections: 64, breaker: NO_BREAKER });
  await accept(rest, 'busy', 'new');
  const waiting: (() => void)[] = [];
  rest.backend.on('*', async (...args) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await ok(personAsked)(...args);
  });
  const busy = rest.client({ apiKey: 'busy' });
  let ended = 0;
  for (let i = 0; i < BUSY_CALLS + 4; i++) {
    void outcome(getPerson(busy, i)).then(() => (ended += 1));
  }
  await until(() => waiting.length === BUSY_CALLS + 4);
  /** Lets one call end. */
  const respond = async (): Promise<void> => {
    const before = ended;
    waiting.shift()!();
    await until(() => ended > before);
  };
  return { clock, limiter: rest.upstream.limiter, respond };
}

describe('the concurrency limiter', () => {
  it('has at most as many calls in flight as there are connections', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 8 });
    const { backend, client } = rest;
    await accept(rest, ...Array.from({ length: 20 }, (_, i) => `k${i}`));
    let now = 0;
    let most = 0;
    backend.on('*', async (...args) => {
      most = Math.max(most, ++now);
      await sleep(5);
      now -= 1;
      await ok(personAsked)(...args);
    });

    await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const one = client({ apiKey: `k${i % 20}` });
        return i % 2 ? getPerson(one, i) : outcome(getTopic(one, i)); // an error: a person gets a response
      }),
    );

    expect(most).toBe(8);
  });

  it('leaves connections to another key when one key takes its full share', async () => {
    // By a staged clock no silent call times out, so a call that queued behind one would never end.
    const rest = await openRest({ connections: 16, clock: new FakeClock() });
    const { backend, client } = rest;
    await accept(rest, 'noisy', 'quiet');
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'noisy' ? silence() : ok(personAsked))(response, seen, socket),
    );
    for (let i = 0; i < 100; i++) void outcome(getPerson(client({ apiKey: 'noisy' }), i));
    await until(() => backend.hits() >= 2 + 12);

    for (let i = 0; i < 50; i++) await getPerson(client({ apiKey: 'quiet' }), i);

    // Four fifths of all connections for its one route, and the call that had it accepted.
    expect(backend.seen.filter((s) => s.headers['x-api-key'] === 'noisy')).toHaveLength(12 + 1);
  });

  it('gives one key at most seven eighths of the connections over all its routes', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 16, breaker: NO_BREAKER });
    const { backend, client } = rest;
    await accept(rest, 'noisy', 'other');
    backend.on('*', silence());
    backend.on('GET /v0/persons/later', ok(personAsked));

    for (let i = 0; i < 20; i++) {
      void outcome(getPerson(client({ apiKey: 'noisy' }), i));
      void outcome(getTopic(client({ apiKey: 'noisy' }), i));
    }
    await until(() => backend.hits() >= 2 + 14);
    // Arrives after all calls that were sent before it.
    await getPerson(client({ apiKey: 'other' }), 'later');

    expect(backend.hits() - 3).toBe(14);
  });

  it('queues deferred calls behind the other calls of their key, and gives them at most half of the free connections', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 16, breaker: NO_BREAKER });
    const { backend, client } = rest;
    await accept(rest, 'key');
    backend.on('*', after(20, ok(personAsked)));
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

    // The order of sending: over several connections calls may arrive in another one.
    const order = sent.mock.calls.flatMap(([{ path }]) => {
      const [, kind] = /(deferred|now)-/.exec(path) ?? []; // calls of the test before may still be queued
      return kind ? [kind === 'deferred'] : [];
    });
    const lastNow = order.lastIndexOf(false);
    // Only deferred calls that began before any other call was made.
    const early = order.slice(0, lastNow).filter((isDeferred) => isDeferred);
    expect(early.length).toBeLessThanOrEqual(8);
    expect(order).toHaveLength(40);
  });

  it('gives a connection that becomes free to the call that has waited longest', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 1 });
    const { backend, client } = rest;
    await accept(rest, 'first', 'second');
    backend.on('*', after(10, ok(personAsked)));

    const first = getPerson(client({ apiKey: 'first' }), 'first');
    const waiting = getPerson(client({ apiKey: 'second' }), 'waiting');
    const late = first.then(() => getPerson(client({ apiKey: 'first' }), 'late'));
    await Promise.all([first, waiting, late]);

    const paths = backend.seen.slice(2).map(({ target }) => target.split('/').at(-1));
    expect(paths).toEqual(['first', 'waiting', 'late']);
  });

  it('serves keys round-robin when one of them has a hundred calls', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 4 });
    const { backend, client } = rest;
    await accept(rest, 'many', 'few');
    backend.on('*', after(10, ok(personAsked)));
    const order: string[] = [];
    const ask = async (apiKey: string, i: number) => {
      await getPerson(client({ apiKey }), i);
      order.push(apiKey);
    };

    const many = Array.from({ length: 100 }, (_, i) => ask('many', i));
    await until(() => backend.hits() > 2);
    await Promise.all([ask('few', 1), ask('few', 2), ask('few', 3)]);

    expect(order.length).toBeLessThan(20);
    await Promise.all(many);
  });

  it('sends the queued calls of the request that began first before those of others', async () => {
    const { backend, client, calls, one } = await openFull('first', 'second');
    const before = backend.hits();
    const first = client({ apiKey: 'first' });
    const second = client({ apiKey: 'second' });

    const asked = [
      getPerson(first, 'first-1'),
      getPerson(second, 'second-1'),
      getPerson(second, 'second-2'),
      getPerson(first, 'first-2'),
    ];
    backend.on('*', ok(personAsked));
    one.release();
    await Promise.all(asked);
    calls.release();

    const sent = backend.seen.slice(before).map(({ target }) => target.split('/').at(-1));
    expect(sent).toEqual(['first-1', 'first-2', 'second-1', 'second-2']);
  });

  it('gives a request a later turn after sixteen queued calls', async () => {
    const { backend, client, calls, one } = await openFull('many', 'few');
    const before = backend.hits();
    const many = client({ apiKey: 'many' });

    const asked = Array.from({ length: 17 }, (_, i) => getPerson(many, i + 1));
    asked.push(getPerson(client({ apiKey: 'few' }), 'few'));
    backend.on('*', ok(personAsked));
    one.release();
    await Promise.all(asked);
    calls.release();

    const sent = backend.seen.slice(before).map(({ target }) => target.split('/').at(-1));
    expect(sent.slice(-3)).toEqual(['16', 'few', '17']);
  });

  it('gives a new key the turn of the latest call that was sent, not an earlier one', async () => {
    const { backend, client, calls, one } = await openFull('first', 'second', 'new');
    const before = backend.hits();
    const ask = (apiKey: string, id: string) => getPerson(client({ apiKey }), id);

    const asked = [
      ask('first', 'first-1'),
      ask('first', 'first-2').then(() => ask('new', 'new')),
      ask('second', 'second-1'),
      ask('second', 'second-2'),
    ];
    backend.on('*', ok(personAsked));
    one.release();
    await Promise.all(asked);
    calls.release();

    const sent = backend.seen.slice(before).map(({ target }) => target.split('/').at(-1));
    expect(sent).toEqual(['first-1', 'second-1', 'first-2', 'second-2', 'new']);
  });

  it('rejects a call when the queue is full, and the latest calls of the key with the most queued calls', async () => {
    const rest = await openRest({
      clock: new FakeClock(),
      connections: 8,
      maxQueue: 20,
      breaker: NO_BREAKER,
    });
    const { backend, client, told } = rest;
    await accept(rest, 'many', 'few');
    const answer = held(ok(personAsked));
    backend.on('*', answer.behaviour);
    const ask = (apiKey: string, count: number) =>
      Array.from({ length: count }, (_, i) =>
        outcome(getPerson(client({ apiKey }), `${apiKey}${i}`)),
      );

    // Six of a route of a key may be in flight.
    const many = ask('many', 30);
    const refused = await Promise.race(many);
    const few = ask('few', 5);
    await until(() => expect(told.filter((name) => name === 'shed')).toHaveLength(30 - 6 - 20 + 4));
    answer.release();
    const answers = await Promise.all([...many, ...few]);

    expect(refused).toMatchObject({ kind: 'overloaded', retryAfterMs: 1_000 });
    const lost = answers.flatMap((one, i) => (one instanceof Error ? [i] : []));
    expect(lost).toEqual([22, 23, 24, 25, 26, 27, 28, 29]);
    expect(new Set(lost.map((i) => answers[i]))).toEqual(new Set([refused]));
  });

  it('T25: rejects a call that has waited in the queue for the timeout of an attempt', async () => {
    const clock = new FakeClock();
    clock.tick(20);
    const { backend, client, upstream } = await openRest({
      clock,
      connections: 4,
      timeoutMs: 1_500,
    });
    backend.on('*', afterOn(clock, 300, ok(personAsked)));
    await getPerson(client(), 'first');
    const begunMs = clock.now();

    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => outcome(getPerson(client(), i))),
    );
    const shed = results.filter((result) => result instanceof Error);

    expect(clock.now() - begunMs).toBeLessThan(3_000);
    // Three connections for the route of a key at 300 ms a call.
    expect(200 - shed.length).toBeGreaterThan(6);
    expect(200 - shed.length).toBeLessThan(25);
    // The three that are in flight when the time is up may have begun too late to get a response.
    const waited = shed.filter((error) => !hasKind(error, 'timeout'));
    expect(shed.length - waited.length).toBeLessThanOrEqual(3);
    expect(waited.every((error) => hasKind(error, 'overloaded'))).toBe(true);
    expect(upstream.breaker.tripped).toEqual([]);
    expect(await getPerson(client(), 'after')).toBeDefined();
  });

  it('rejects none of a thousand queued calls when the backend is fast', async () => {
    const { backend, client } = await openRest({ clock: new FakeClock() });
    backend.on('*', ok(personAsked));
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
    const clock = new FakeClock();
    const rest = await openRest({ clock, breaker: NO_BREAKER, timeoutMs: 1_500 });
    const { backend, client, told } = rest;
    const keys = [...new Set(Array.from({ length: 20 }, (_one, i) => keyOf(i)))];
    await accept(rest, ...keys);
    backend.on('*', silence());
    backend.on('GET /v0/topics/t', ok(topic('t')));
    const silent = Array.from({ length: 400 }, (_one, i) =>
      outcome(getPerson(client({ apiKey: keyOf(i), deadlineMs: clock.now() + 1_400 }), i)),
    );
    let ended = 0;
    for (const one of silent) void one.then(() => (ended += 1));
    // Four fifths of all connections at least.
    await until(() => backend.hits() >= keys.length + 102);
    clock.tick(1); // for reconnects alone

    for (let i = 0; i < 100; i++) {
      await client({ apiKey: keyOf(i) }).call(routes.getTopic, { path: { topic_id: 't' } });
    }

    // No read of the topic waited for a silent call to end.
    expect(ended).toBe(0);
    expect(told).not.toContain('shed');
    clock.pass(1_400);
    expect(new Set((await Promise.all(silent)).map((one) => one instanceof Error))).toEqual(
      new Set([true]),
    );
  });

  it('T66: gives one shared turn to all keys that the backend has not accepted', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 8 });
    const { backend, client } = rest;
    await accept(rest, 'known');
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'known' ? ok(personAsked) : after(20, status(401)))(
        response,
        seen,
        socket,
      ),
    );
    const flood = Array.from({ length: 200 }, (_, i) =>
      outcome(getPerson(client({ apiKey: `invented-${i}` }), i)),
    );
    await until(() => backend.hits() >= 1 + 6);
    let answered = 0;
    for (const one of flood) void one.then(() => (answered += 1));
    const before: number[] = [];

    for (let i = 0; i < 20; i++) {
      const begun = answered;
      await Promise.all([0, 1, 2].map((j) => getPerson(client({ apiKey: 'known' }), `${i}-${j}`)));
      before.push(answered - begun);
    }

    // Of three known calls at once, some wait for the end of one of the six calls of the flood.
    expect(before.sort((a, b) => a - b)[10]).toBeLessThan(12);
    await Promise.all(flood);
  });

  it('counts the calls from before a key was accepted towards its share', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 16 });
    const { backend, client } = rest;
    await accept(rest, 'other');
    backend.on('*', silence());
    backend.on('GET /v0/persons/0', ok(personAsked));
    backend.on('GET /v0/persons/later', ok(personAsked));
    const first = getPerson(client(), 0);
    for (let i = 1; i < 12; i++) void outcome(getPerson(client(), i));

    await first;
    for (let i = 0; i < 12; i++) void outcome(getTopic(client(), i));
    await until(() => backend.hits() >= 1 + 12 + 3);
    // Arrives after all calls that were sent before it.
    await getPerson(client({ apiKey: 'other' }), 'later');

    // Seven eighths are fourteen; calls from before the key was accepted hold eleven of them.
    expect(backend.hits()).toBe(1 + 12 + 3 + 1);
  });

  it('T66: counts a key as unaccepted again after the backend has rejected it', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 16 });
    const { backend, client } = rest;
    await accept(rest, 'revoked', 'known');
    backend.on('*', status(401));
    await outcome(getPerson(client({ apiKey: 'revoked' }), 'refused'));
    backend.on('*', silence());
    backend.on('GET /v0/persons/later', ok(personAsked));
    for (let i = 0; i < 40; i++) {
      void outcome(getPerson(client({ apiKey: i % 2 ? 'revoked' : 'invented' }), i));
    }
    await until(() => backend.hits() >= 3 + 12);
    // Arrives after all calls that were sent before it.
    await getPerson(client({ apiKey: 'known' }), 'later');

    // The share of a single key in a route.
    expect(backend.seen.slice(3)).toHaveLength(12 + 1);
  });

  it('T64: rejects calls of a key that fills the queue, with Retry-After, and serves other keys', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 4, maxQueue: 20 });
    const { backend, client } = rest;
    await accept(rest, 'busy', 'other');
    backend.on('*', after(20, ok(personAsked)));
    const ask = (apiKey: string, id: number) => outcome(getPerson(client({ apiKey }), id));

    const busy = Array.from({ length: 50 }, (_, i) => ask('busy', i));
    const others = [ask('other', 50), ask('stranger', 51)];

    const refused = (await Promise.all(busy)).filter((one) => hasKind(one, 'overloaded'));
    expect(refused.map(({ retryAfterMs }) => retryAfterMs)).toEqual(Array(29).fill(1_000));
    expect(await Promise.all(others)).toEqual([person('50'), person('51')]);
    expect(await ask('busy', 52)).toEqual(person('52'));
  });
});

describe('an operation that may begin', () => {
  it('begins as long as no call is queued, and connections carry the calls of those before it', async () => {
    const { limiter } = await openFull('new');

    expect(limiter.mayBegin('new', 0)).toBe(true);
    expect(limiter.mayBegin('new', 3)).toBe(true);
    expect(limiter.mayBegin('new', 4)).toBe(false);
  });

  it('waits while calls that go first are queued, and is notified when one of them ends', async () => {
    const { client, calls, one, limiter } = await openFull('waiting', 'new');
    const queued = getPerson(client({ apiKey: 'waiting' }), 'queued');
    expect(limiter.mayBegin('new', 0)).toBe(false);

    const told = new Promise<void>((resolve) => limiter.whenRoom(resolve));
    one.release();
    await told;

    expect(limiter.mayBegin('new', 0)).toBe(true);
    calls.release();
    await queued;
  });

  it('begins before the calls of a key that has had its turn, unless it is of that key', async () => {
    const { backend, client, one, limiter } = await openFull('busy', 'new');
    const before = backend.hits();
    for (const id of ['first', 'later']) void outcome(getPerson(client({ apiKey: 'busy' }), id));
    expect(limiter.mayBegin('new', 0)).toBe(false);

    one.release();
    await until(() => backend.hits() > before);

    expect([limiter.mayBegin('busy', 0), limiter.mayBegin('new', 0)]).toEqual([false, true]);
  });

  it('waits while calls of its key are queued, even if connections are free for others', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 4, breaker: NO_BREAKER });
    const { backend, client } = rest;
    const { limiter } = rest.upstream;
    await accept(rest, 'busy', 'new');
    backend.on('*', silence());

    // Three of four connections are a key's share.
    for (let i = 0; i < 4; i++) void outcome(getPerson(client({ apiKey: 'busy' }), i));

    expect([limiter.mayBegin('busy', 0), limiter.mayBegin('new', 0)]).toEqual([false, true]);
  });

  it('is notified when a call ends without a queue', async () => {
    const { one, limiter } = await openFull();

    const notified = new Promise<void>((resolve) => limiter.whenRoom(resolve));
    one.release();

    await notified;
  });

  it('leaves a connection that has just become free to those who waited before it', async () => {
    const { client, one, limiter, first } = await openFull('waiting', 'new');
    void outcome(getPerson(client({ apiKey: 'waiting' }), 'queued'));
    const notified = new Promise<void>((resolve) => limiter.whenRoom(resolve));

    one.release();
    await first;

    expect(limiter.mayBegin('new', 0)).toBe(false);
    await notified;
  });

  it('begins when the queue has made no progress for a quarter of a second', async () => {
    const { client, clock, limiter } = await openFull('waiting', 'new');
    void outcome(getPerson(client({ apiKey: 'waiting' }), 'queued'));
    const told = vi.fn();
    expect(limiter.mayBegin('new', 0)).toBe(false);
    limiter.whenRoom(told);

    clock.pass(249);
    expect([limiter.mayBegin('new', 0), told.mock.calls.length]).toEqual([false, 0]);
    clock.pass(1);

    expect([limiter.mayBegin('new', 0), told.mock.calls.length]).toEqual([true, 1]);
  });

  it('waits above 32 calls in flight while responses keep arriving, and for at most 5 ms', async () => {
    const { limiter, clock, respond } = await openBusy();

    await respond();
    expect([limiter.mayBegin('new', 0), limiter.mayBegin('new', 0)]).toEqual([true, false]);
    clock.pass(BUSY_MS);
    expect([limiter.mayBegin('new', 0), limiter.mayBegin('new', 0)]).toEqual([true, false]);
  });

  it('begins when no response has arrived in a tick, as long as connections are free', async () => {
    const { limiter, respond } = await openBusy();
    await respond();
    limiter.mayBegin('new', 0);
    expect(limiter.mayBegin('new', 0)).toBe(false);

    await new Promise<void>((resolve) => limiter.whenRoom(resolve));

    const begun = Array.from({ length: 4 }, (_, i) => limiter.mayBegin('new', i * 12));
    expect(begun).toEqual([true, true, true, true]);
  });

  it('begins below 32 calls in flight, with those of the operations before it', async () => {
    const { limiter, respond } = await openBusy();
    for (let i = 0; i < 5; i++) await respond();
    limiter.mayBegin('new', 0);

    expect([limiter.mayBegin('new', 0), limiter.mayBegin('new', 1)]).toEqual([true, false]);
  });

  it('does not look again until a call ends, if its key has used up its share', async () => {
    const rest = await openRest({ clock: new FakeClock(), connections: 64, breaker: NO_BREAKER });
    const { limiter } = rest.upstream;
    await accept(rest, 'busy');
    rest.backend.on('*', silence());
    const busy = rest.client({ apiKey: 'busy' });
    for (let i = 0; i < 60; i++) void outcome(getPerson(busy, i));
    let looks = 0;
    const look = (): void => {
      looks += 1;
      if (!limiter.mayBegin('busy', 0)) limiter.whenRoom(look);
    };

    look();
    for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));

    expect(looks).toBeLessThanOrEqual(2);
  });
});
