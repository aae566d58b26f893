import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, held, ok, silence, status } from '../support/faults.ts';
import { failureOf, openRest, outcome, person, topic, type Rest } from './open-rest.ts';

const getPerson = (client: RestClient, id = 'p') =>
  client.call(routes.getPerson, { path: { person_id: id } });
const getTopic = (client: RestClient, id = 't') =>
  client.call(routes.getTopic, { path: { topic_id: id } });
const listAccounts = (client: RestClient) => client.call(routes.listAccounts, {});

const NO_ACCOUNTS = { items: [], hasMore: false, nextCursor: null, totalCount: 0 };

/** Opens the circuit of a key and a route: 20 answers of 500, which are never attempted again. */
async function openCircuit(rest: Rest, apiKey = 'key-a'): Promise<void> {
  rest.backend.on('*', status(500));
  for (let i = 0; i < 20; i++) await outcome(getPerson(rest.client({ apiKey })));
}

/** By scope and state, as many as there are. */
const trippedOf = ({ upstream }: Rest): string[] =>
  upstream.breaker.tripped.map(({ scope, route, state, count }) =>
    [count, scope, route?.path, state].filter(Boolean).join(' '),
  );

describe('the circuit breaker', () => {
  it('T10: opens after half of 20 calls failed, and then answers in 10 ms without a call', async () => {
    const rest = await openRest();
    const { backend, client, told, upstream } = rest;
    backend.on('*', ok(person('p')));
    for (let i = 0; i < 10; i++) await getPerson(client());
    backend.on('*', status(500));
    for (let i = 0; i < 9; i++) await outcome(getPerson(client()));
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
    await outcome(getPerson(client()));
    expect(upstream.breaker.stateOf('route_key')).toBe('open');
    const before = backend.hits();
    const begun = performance.now();

    const failure = await outcome(getPerson(client()));

    expect(performance.now() - begun).toBeLessThan(10);
    expect(failure).toMatchObject({ name: 'RestCircuitOpenError' });
    expect((failure as { retryAfterMs?: number }).retryAfterMs).toBeGreaterThan(4_000);
    expect(backend.hits()).toBe(before);
    expect(told).toEqual(['route_key open']);
  });

  it('does not take calls that waited long for their turn for an outage', async () => {
    const breaker = { volume: 4, failurePercent: 40 };
    const rest = await openRest({ connections: 4, timeoutMs: 1_000, breaker });
    const { backend, calls, client, upstream } = rest;
    // The first four are answered; the next four have a fifth of their time left by then.
    backend.on('*', after(800, ok(person('p'))));

    const reads = Array.from({ length: 8 }, (_, i) =>
      outcome(getPerson(client({ apiKey: `key-${i}` }), `p${i}`)),
    );
    await Promise.all(reads);

    const failures = calls.map(({ failure }) => failure);
    expect(failures.filter((kind) => kind === 'timeout')).toHaveLength(4);
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('T26: counts a read that is refused connections once, however often it tries', async () => {
    const { client, upstream } = await openRest({ stopped: true, breaker: { volume: 3 } });

    for (let i = 0; i < 2; i++) await outcome(getPerson(client()));
    expect(upstream.breaker.stateOf('host')).toBe('closed');
    await outcome(getPerson(client()));

    expect(upstream.breaker.stateOf('host')).toBe('open');
  });

  it('T26: takes no refusal for an outage that it was only late to hear', async () => {
    const { calls, client, upstream } = await openRest({ stopped: true, breaker: { volume: 3 } });

    const reads = Array.from({ length: 3 }, (_, i) => outcome(getPerson(client(), `p${i}`)));
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    const until = performance.now() + 300;
    while (performance.now() < until); // a busy machine, while the refusals arrive
    await expect.poll(() => calls.length).toBeGreaterThanOrEqual(3);

    expect(calls[0]!.durationMs).toBeGreaterThan(250);
    expect(upstream.breaker.stateOf('host')).toBe('closed');
    await Promise.all(reads);
  });

  it('T10: lets exactly one call probe, and closes when it succeeds', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client, told, upstream } = rest;
    await openCircuit(rest);
    const probe = held(ok(person('p')));
    backend.on('*', probe.behaviour, ok(person('p')));
    const before = backend.hits();
    await sleep(130);
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');

    const calls = Array.from({ length: 20 }, (_, i) => failureOf(getPerson(client(), `p${i}`)));
    await sleep(50);
    expect(backend.hits() - before).toBe(1);
    probe.release();
    const failures = await Promise.all(calls);

    expect(failures.filter((name) => name === 'none')).toHaveLength(1);
    expect(failures.filter((name) => name === 'RestCircuitOpenError')).toHaveLength(19);
    expect(told).toEqual(['route_key open', 'route_key half-open', 'route_key closed']);
    expect(await getPerson(client())).toBeDefined();
  });

  it('T10: opens again when the probe fails', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    await openCircuit(rest);
    await sleep(130);

    await outcome(getPerson(rest.client()));

    expect(rest.told).toEqual(['route_key open', 'route_key half-open', 'route_key open']);
  });

  it('weighs failures against the successes of its window, and no older ones', async () => {
    const { backend, client, upstream } = await openRest({ breaker: { windowMs: 1_000 } });
    backend.on('*', ok(person('p')));
    for (let i = 0; i < 30; i++) await getPerson(client());
    backend.on('*', status(500));
    for (let i = 0; i < 20; i++) await outcome(getPerson(client()));
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');

    await sleep(1_100);
    for (let i = 0; i < 20; i++) await outcome(getPerson(client()));

    expect(upstream.breaker.stateOf('route_key')).toBe('open');
  });

  it('is not opened again by one failure after it has closed', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    backend.on('*', ok(person('p')), status(500), ok(person('p')));
    await sleep(130);

    for (let i = 0; i < 3; i++) await outcome(getPerson(client()));

    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it.each([401, 404, 429])('T11: is not opened by 500 answers of %i', async (code) => {
    const { backend, client, upstream, told } = await openRest();
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'key-a' ? status(code) : ok(person('p')))(
        response,
        seen,
        socket,
      ),
    );

    for (let i = 0; i < 500; i += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, j) => outcome(getPerson(client(), `p${i + j}`))),
      );
    }

    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
    expect(told).toEqual([]);
    expect(await getPerson(client({ apiKey: 'key-b' }))).toBeDefined();
  });

  it('takes 4xx answers for signs of health, and sees an outage once it outweighs them', async () => {
    const rest = await openRest();
    rest.backend.on('*', status(404));
    for (let i = 0; i < 30; i++) await outcome(getPerson(rest.client()));

    await openCircuit(rest);
    const early = rest.upstream.breaker.stateOf('route_key');
    await openCircuit(rest);

    expect([early, rest.upstream.breaker.stateOf('route_key')]).toEqual(['closed', 'open']);
    expect(rest.backend.hits()).toBe(2 * 30);
  });

  it('does not count callers who leave', async () => {
    const { backend, client, upstream } = await openRest();
    backend.on('*', silence());

    for (let i = 0; i < 40; i++) {
      const leaving = new Cancel();
      const call = outcome(getPerson(client({ leaving })));
      await sleep(2);
      leaving.cancel();
      await call;
    }

    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('gives the next caller the probe of one who left', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    backend.on('*', silence(), ok(person('p')));
    await sleep(130);
    const leaving = new Cancel();
    const probe = failureOf(getPerson(client({ leaving })));
    await sleep(20);
    leaving.cancel();

    expect(await probe).toBe('RestAbortedError');
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
    expect(await getPerson(client())).toBeDefined();
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('lets the caller of a probe wait half a second, and the probe go on', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    const probe = held(ok(person('p')));
    backend.on('*', probe.behaviour);
    await sleep(130);
    const begun = performance.now();

    expect(await failureOf(getPerson(client()))).toBe('RestCircuitOpenError');
    expect(performance.now() - begun).toBeGreaterThan(400);
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
    probe.release();

    await expect.poll(() => upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('takes no straggler from before it opened for the probe', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client, upstream } = rest;
    backend.on('GET /v0/persons/slow', after(250, ok(person('slow'))));
    const straggler = getPerson(client(), 'slow');
    await openCircuit(rest);

    await straggler;

    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
  });

  it('opens when the backend is silent, refuses connections or loses writes', async () => {
    const { client, upstream } = await openRest({ stopped: true });

    await Promise.all(
      Array.from({ length: 20 }, () =>
        outcome(client().call(routes.updateTopic, { path: { topic_id: 't' }, body: {} })),
      ),
    );

    expect(upstream.breaker.stateOf('host')).toBe('open');
  });

  it('sends away at once those who still queue', async () => {
    const rest = await openRest({ connections: 4 });
    const { backend, client } = rest;
    backend.on('*', after(100, status(500)));
    const calls = Array.from({ length: 60 }, (_, i) => failureOf(getPerson(client(), `p${i}`)));

    const failures = await Promise.all(calls);

    expect(rest.upstream.breaker.stateOf('route_key')).toBe('open');
    expect(failures.filter((name) => name === 'RestCircuitOpenError').length).toBeGreaterThan(30);
    expect(backend.hits()).toBeLessThan(30);
  });

  it('keeps no process alive', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const rest = await openRest({ breaker: { openMs: 60_000 } });
    await openCircuit(rest);

    // undici's fast timers are unref'd as ours are.
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

/** Asks for persons every 10 ms, of whom none is shared. */
async function askSteadily({ client }: Rest, forMs: number): Promise<Promise<string>[]> {
  const asked: Promise<string>[] = [];
  for (const endMs = performance.now() + forMs; performance.now() < endMs; await sleep(10)) {
    asked.push(failureOf(getPerson(client(), `p${asked.length}`)));
  }
  return asked;
}

describe('the circuit breaker of a backend that goes silent', () => {
  it('opens before a call has timed out, for the route of the key alone, and refuses no call under way', async () => {
    const rest = await openRest({ timeoutMs: 2_000 });
    const { backend, calls, client, told } = rest;
    backend.on('*', ok(person('p')));
    for (let i = 0; i < 200; i++) await getPerson(client());
    backend.on('GET /v0/topics/t', ok(topic('t')));
    const silent = held(ok(person('p')));
    backend.on('*', silent.behaviour);
    const before = calls.length;

    const asked = await askSteadily(rest, 1_700);
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} open']);
    const refused = calls.length - before;
    expect(new Set(calls.slice(before).map(({ failure }) => failure))).toEqual(
      new Set(['circuit_open']),
    );
    await getTopic(client());
    silent.release();
    const failures = await Promise.all(asked);

    expect(refused).toBeGreaterThan(5);
    expect(failures.filter((name) => name !== 'none')).toHaveLength(refused);
    // Any answer shows that it is silent no more.
    expect(told).toEqual(['route_key open', 'route_key closed']);
    expect(await failureOf(getPerson(client()))).toBe('none');
  });

  it('opens the wider circuits only when its calls have timed out', async () => {
    const rest = await openRest({ timeoutMs: 2_000 });
    const { backend, client } = rest;
    const keys = ['key-a', 'key-b'];
    backend.on('*', ok(person('p')));
    for (const apiKey of keys) await getPerson(client({ apiKey }));
    backend.on('*', silence());

    const asked: Promise<unknown>[] = [];
    const ask = async (forMs: number): Promise<void> => {
      for (const endMs = performance.now() + forMs; performance.now() < endMs; await sleep(10)) {
        for (const apiKey of keys) {
          asked.push(outcome(getPerson(client({ apiKey }), `p${asked.length}`)));
        }
      }
    };
    await ask(1_700);
    expect(trippedOf(rest)).toEqual(['2 route_key /v0/persons/{person_id} open']);
    await ask(600);

    expect(trippedOf(rest)).toContain('1 route /v0/persons/{person_id} open');
    await Promise.all(asked);
  });

  it('is not opened by a stall of the gateway itself', async () => {
    const rest = await openRest({ timeoutMs: 1_000 });
    const { backend, client, told } = rest;
    backend.on('*', ok(person('p')));
    await getPerson(client());
    backend.on('*', after(20, ok(person('p'))));
    const first = Array.from({ length: 40 }, (_, i) => failureOf(getPerson(client(), `p${i}`)));
    await sleep(10);

    for (const endMs = performance.now() + 700; performance.now() < endMs;);
    const second = Array.from({ length: 40 }, (_, i) => failureOf(getPerson(client(), `q${i}`)));

    expect(new Set(await Promise.all([...first, ...second]))).toEqual(new Set(['none']));
    expect(told).toEqual([]);
  });

  it('is not opened by a route that is always slow', async () => {
    const rest = await openRest({ timeoutMs: 1_000 });
    const { backend, client, told } = rest;
    backend.on('*', after(600, ok(person('p'))));
    await getPerson(client());

    const asked = await askSteadily(rest, 700);

    expect(new Set(await Promise.all(asked))).toEqual(new Set(['none']));
    expect(told).toEqual([]);
  });

  it('is not opened by callers who leave before an answer could come', async () => {
    const { backend, client, told } = await openRest({ timeoutMs: 1_000 });
    backend.on('*', after(100, ok(person('p'))));
    await getPerson(client());

    const asked: Promise<unknown>[] = [];
    for (const endMs = performance.now() + 900; performance.now() < endMs; await sleep(2)) {
      const leaving = new Cancel();
      asked.push(outcome(getPerson(client({ leaving }), `p${asked.length}`)));
      setTimeout(() => leaving.cancel(), 80);
    }
    await Promise.all(asked);

    expect(asked.length).toBeGreaterThan(100);
    expect(told).toEqual([]);
  });
});

describe('the scopes of the circuit breaker', () => {
  it('keep a route of one key from that key alone, and from no other route of it', async () => {
    const rest = await openRest();
    const { backend, client } = rest;
    backend.on('GET /v0/topics/t', ok(topic('t')));
    await openCircuit(rest);
    const before = backend.hits();

    const names = [
      await failureOf(getPerson(client())),
      await failureOf(getTopic(client())),
      await failureOf(getPerson(client({ apiKey: 'key-b' }))),
    ];

    expect(names).toEqual(['RestCircuitOpenError', 'none', 'RestStatusError']);
    expect(backend.hits() - before).toBe(2);
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} open']);
  });

  it('open for a route once most keys fail on it, and leave other routes to all', async () => {
    const rest = await openRest();
    const { backend, client, upstream } = rest;
    backend.on('*', status(500));
    backend.on('GET /v0/topics/t', ok(topic('t')));

    for (let i = 0; i < 20; i++) await outcome(getPerson(client({ apiKey: `key-${i % 5}` })));
    const stranger = client({ apiKey: 'stranger' });

    expect(upstream.breaker.stateOf('route')).toBe('open');
    expect(await failureOf(getPerson(stranger))).toBe('RestCircuitOpenError');
    expect(await failureOf(getTopic(stranger))).toBe('none');
    expect(trippedOf(rest)).toEqual(['1 route /v0/persons/{person_id} open']);
  });

  it('open for a key once most of its routes fail, and for no other key', async () => {
    const rest = await openRest();
    const { backend, client, upstream } = rest;
    backend.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === 'key-a' ? status(500) : ok(topic('t')))(
        response,
        seen,
        socket,
      ),
    );

    for (let i = 0; i < 10; i++) {
      await outcome(getPerson(client()));
      await outcome(getTopic(client()));
    }

    expect(upstream.breaker.stateOf('key')).toBe('open');
    expect(await failureOf(listAccounts(client()))).toBe('RestCircuitOpenError');
    expect(await failureOf(getTopic(client({ apiKey: 'key-b' })))).toBe('none');
    expect(trippedOf(rest)).toEqual(['1 key open']);
  });

  it('open for the host once most routes fail for most keys', async () => {
    const { backend, client, upstream } = await openRest();
    backend.on('*', status(503));

    for (let i = 0; i < 10; i++) {
      await outcome(getPerson(client({ apiKey: `key-${i % 3}` })));
      await outcome(getTopic(client({ apiKey: `key-${i % 3}` })));
    }
    const before = backend.hits();

    expect(upstream.breaker.stateOf('host')).toBe('open');
    expect(await failureOf(listAccounts(client({ apiKey: 'stranger' })))).toBe(
      'RestCircuitOpenError',
    );
    expect(backend.hits()).toBe(before);
  });

  it('never keep back a route of a key that is well, however wide they open', async () => {
    const { backend, client, upstream } = await openRest();
    const well = client({ apiKey: 'well', maxCalls: 1_000 });
    backend.on('*', status(500));
    backend.on('GET /v0/accounts', ok(NO_ACCOUNTS));
    const lost: string[] = [];

    for (let i = 0; i < 60; i++) {
      await outcome(getPerson(client({ apiKey: `key-${i % 3}` })));
      await outcome(getTopic(client({ apiKey: `key-${i % 3}` })));
      lost.push(await failureOf(listAccounts(well)));
    }

    expect(upstream.breaker.stateOf('host')).toBe('open');
    expect(new Set(lost)).toEqual(new Set(['none']));
  });

  it('close one by one, each after one call', async () => {
    const rest = await openRest({ breaker: { openMs: 100 } });
    const { backend, client } = rest;
    await openCircuit(rest, 'key-a');
    await openCircuit(rest, 'key-b');
    expect(trippedOf(rest)).toEqual([
      '1 route_key /v0/persons/{person_id} open',
      '1 route /v0/persons/{person_id} open',
    ]);
    expect(backend.hits()).toBe(30);
    backend.on('*', ok(person('p')));
    await sleep(130);

    await getPerson(client({ apiKey: 'key-b' }));
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} half-open']);
    await getPerson(client({ apiKey: 'key-a' }));

    expect(trippedOf(rest)).toEqual([]);
    expect(backend.hits()).toBe(32);
  });

  it('remember no more keys than they may, invented ones included', async () => {
    const { backend, client, upstream } = await openRest({ breaker: { volume: 1 } });
    const ask = (i: number) => outcome(getPerson(client({ apiKey: `invented-${i}` })));
    backend.on('*', status(401));
    for (let i = 0; i < 100; i++) await ask(i);
    backend.on('*', status(500));

    for (let i = 0; i < 1_500; i += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, j) => ask(i + j)));
    }

    const counts = upstream.breaker.tripped.map(({ count }) => count);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(upstream.breaker.tripped.map(({ scope }) => scope))).not.toContain('inv');
  });
});
