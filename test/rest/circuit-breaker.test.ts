import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import {
  after,
  held,
  html,
  ok,
  reset,
  silence,
  status,
  type Behaviour,
} from '../support/faults.ts';
import {
  failureOf,
  getPerson,
  NOWHERE,
  openRest,
  outcome,
  person,
  personAsked,
  topic,
  type Rest,
  type RestOptions,
} from './open-rest.ts';
import { immediate } from '../support/immediate.ts';
import { afterOn, FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

const getTopic = (client: RestClient, id = 't') =>
  client.call(routes.getTopic, { path: { topic_id: id } });

/** The REST side with a clock that the test moves; timers run in real time, or `speed` times as fast. */
async function openStaged({ speed = 1, ...options }: RestOptions & { speed?: number } = {}) {
  let nowMs = 1_000_000;
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs,
    setTimeout: (run, ms) => systemClock.setTimeout(run, ms / speed),
  };
  const rest = await openRest({ ...options, clock });
  return { ...rest, passMs: (ms: number) => void (nowMs += ms) };
}

/** Reads other persons each time, one after the other, so that no read is shared and no path fails twice. */
let asked = 0;
async function askPersons({ client }: Rest, count: number, apiKey = 'key-a'): Promise<string[]> {
  const names: string[] = [];
  for (let i = 0; i < count; i++) {
    names.push(await failureOf(getPerson(client({ apiKey }), `p${asked++}`)));
  }
  return names;
}

/** Opens the circuit of a route of a key with 20 responses with status 500, which are not retried. */
async function openCircuit(rest: Rest, apiKey = 'key-a'): Promise<void> {
  rest.backend.on('*', status(500));
  await askPersons(rest, 20, apiKey);
}

/** The circuits that are not closed, as count, scope, route and state. */
const trippedOf = ({ upstream }: Rest): string[] =>
  upstream.breaker.tripped.map(({ scope, route, state, count }) =>
    [count, scope, route?.path, state].filter(Boolean).join(' '),
  );

const OPEN_MS = 5_001;

describe('the circuit of one route and one API key', () => {
  it('T10: opens when half of 20 calls failed, and then rejects calls immediately', async () => {
    const rest = await openStaged();
    const { backend, client, told, upstream } = rest;
    backend.on('*', ok(personAsked));
    await askPersons(rest, 10);
    backend.on('*', status(500));
    await askPersons(rest, 9);
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
    await askPersons(rest, 1);
    expect(upstream.breaker.stateOf('route_key')).toBe('open');
    const before = backend.hits();

    const failure = await immediate(outcome(getPerson(client())));

    expect(failure).toMatchObject({ kind: 'circuit_open', retryAfterMs: 5_000 });
    expect(backend.hits()).toBe(before);
    expect(told).toEqual(['route_key open']);
  });

  it('rejects a call with the time that remains until it allows a probe', async () => {
    const rest = await openStaged();
    await openCircuit(rest);
    const waitOf = async () => {
      const refused = await outcome(getPerson(rest.client(), 'p'));
      return (refused as { retryAfterMs?: number }).retryAfterMs;
    };

    const first = await waitOf();
    rest.passMs(3_200.5);
    const second = await waitOf();
    rest.passMs(1_799);
    const last = await waitOf();

    expect([first, second, last]).toEqual([5_000, 1_800, 1]);
  });

  it.each<[string, Behaviour]>([
    ['responds with 500', status(500)],
    ['resets every connection', reset()],
  ])(
    'opens after twenty failures in a row of a route that %s after 200 successes',
    async (_name, fault) => {
      const rest = await openStaged();
      const { backend, upstream } = rest;
      backend.on('*', ok(personAsked));
      await askPersons(rest, 200);
      backend.on('*', fault);
      const before = backend.hits();

      for (let i = 0; upstream.breaker.stateOf('route_key') !== 'open' && i < 100; i++) {
        await askPersons(rest, 1);
      }

      // Plus those on idle connections, which may have been closing anyway.
      expect(backend.hits() - before).toBeGreaterThanOrEqual(20);
      expect(backend.hits() - before).toBeLessThanOrEqual(22);
      expect(await askPersons(rest, 1)).toEqual(['circuit_open']);
    },
  );

  it('opens after twenty timeouts in a row when a route stops responding after 200 successes', async () => {
    const clock = new FakeClock();
    const rest = await openRest({ clock, timeoutMs: 100, requestTimeoutMs: 150 });
    const { backend, upstream } = rest;
    backend.on('*', ok(personAsked));
    await askPersons(rest, 200);
    backend.on('*', silence());
    clock.tick(20);
    const before = backend.hits();

    for (let i = 0; upstream.breaker.stateOf('route_key') !== 'open' && i < 100; i++) {
      expect(await askPersons(rest, 1)).toEqual(['timeout']);
    }

    expect(backend.hits() - before).toBeGreaterThanOrEqual(20);
    expect(backend.hits() - before).toBeLessThanOrEqual(22);
    expect(await askPersons(rest, 1)).toEqual(['circuit_open']);
  });

  it.each<[string, Behaviour]>([
    ['responds with 500 and its error body', status(500)],
    ['responds with 500 in HTML', html(500)],
    ['responds with 503', status(503)],
    ['resets every connection', reset()],
  ])('stays closed while every second call is for one object that %s', async (_name, fault) => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    backend.on('*', ok(personAsked));
    backend.on('GET /v0/persons/bad', fault);

    const names: string[] = [];
    for (let i = 0; i < 60; i++) {
      await outcome(getPerson(client(), 'bad'));
      names.push(...(await askPersons(rest, 1)));
    }

    expect(new Set(names)).toEqual(new Set(['none']));
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('stays closed while three of four calls are for objects that always return a documented 500', async () => {
    const rest = await openStaged();
    const { backend, client } = rest;
    backend.on('*', ok(personAsked));
    const bad = ['bad-1', 'bad-2', 'bad-3'];
    for (const id of bad) backend.on(`GET /v0/persons/${id}`, status(500));

    const names: string[] = [];
    for (let i = 0; i < 40; i++) {
      for (const id of bad) await outcome(getPerson(client(), id));
      names.push(...(await askPersons(rest, 1)));
    }

    expect(new Set(names)).toEqual(new Set(['none']));
  });

  it('stays closed after forty documented 500s in a row for one object, and opens after twenty for others', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    backend.on('*', status(500));
    for (let i = 0; i < 40; i++) await outcome(getPerson(client(), 'bad'));
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');

    await askPersons(rest, 20);

    expect(upstream.breaker.stateOf('route_key')).toBe('open');
  });

  it('opens when half of the calls to its only path fail', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    for (const answer of [ok(personAsked), html(500)]) {
      backend.on('*', answer);
      for (let i = 0; i < 10; i++) await outcome(getPerson(client(), 'only'));
    }

    expect(upstream.breaker.stateOf('route_key')).toBe('open');
  });

  it('is closed by the first call for a healthy object, even if all earlier probes were for a failing one', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    backend.on('*', html(500));
    for (let i = 0; i < 20; i++) await outcome(getPerson(client(), 'bad'));
    backend.on('*', ok(personAsked));
    backend.on('GET /v0/persons/bad', html(500));
    for (let i = 0; i < 3; i++) {
      rest.passMs(OPEN_MS);
      expect(await failureOf(getPerson(client(), 'bad'))).toBe('status');
      expect(await failureOf(getPerson(client(), 'bad'))).toBe('circuit_open');
    }

    expect(await failureOf(getPerson(client(), 'good'))).toBe('none');
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('compares failures only with the successes of its window', async () => {
    const rest = await openStaged();
    const { backend, upstream } = rest;
    backend.on('*', ok(personAsked));
    await askPersons(rest, 30);
    const half = async () => {
      for (let i = 0; i < 10; i++) {
        backend.on('*', ok(personAsked));
        await askPersons(rest, 1);
        backend.on('*', status(500));
        await askPersons(rest, 1);
      }
    };
    await half();
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');

    rest.passMs(10_000);
    await half();

    expect(upstream.breaker.stateOf('route_key')).toBe('open');
  });

  it.each([
    ['counts time-outs of calls that the backend had for nine tenths of their time', 100, 'open'],
    ['does not count time-outs of calls that spent more than that in the queue', 101, 'closed'],
  ])('%s', async (_name, queuedMs, state) => {
    const clock = new FakeClock();
    const time = { clock, timeoutMs: 1_000, requestTimeoutMs: 1_500 };
    const rest = await openRest({ ...time, connections: 5, breaker: { volume: 4 } });
    const { backend, calls, client, upstream } = rest;
    const answer = held(ok(personAsked));
    backend.on('*', ...Array.from({ length: 4 }, () => answer.behaviour), silence());
    const reads = Array.from({ length: 8 }, (_, i) => outcome(getPerson(client(), `p${i}`)));
    await until(() => backend.hits() === 4);
    clock.pass(queuedMs);
    answer.release();
    await until(() => backend.hits() === 8);
    clock.pass(1_000 - queuedMs);
    await Promise.all(reads);

    const failures = calls.map(({ failure }) => failure);
    expect(failures.filter((kind) => kind === 'timeout')).toHaveLength(4);
    expect(upstream.breaker.stateOf('route_key')).toBe(state);
  });

  it('T10: allows one probe, rejects other calls, and closes when the probe succeeds', async () => {
    const rest = await openStaged();
    const { backend, client, told, upstream } = rest;
    await openCircuit(rest);
    const probe = held(ok(personAsked));
    backend.on('*', probe.behaviour, ok(personAsked));
    const before = backend.hits();
    rest.passMs(OPEN_MS);
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');

    let ended = 0;
    const calls = Array.from({ length: 20 }, (_, i) =>
      failureOf(getPerson(client(), `p${i}`)).finally(() => (ended += 1)),
    );
    await until(() => backend.hits() > before && ended >= 19);
    expect(backend.hits() - before).toBe(1);
    probe.release();
    const failures = await Promise.all(calls);

    expect(failures.filter((name) => name === 'none')).toHaveLength(1);
    expect(failures.filter((name) => name === 'circuit_open')).toHaveLength(19);
    expect(told).toEqual(['route_key open', 'route_key half-open', 'route_key closed']);
    expect(await getPerson(client())).toBeDefined();
  });

  it('T10: opens again when the probe fails', async () => {
    const rest = await openStaged();
    await openCircuit(rest);
    rest.passMs(OPEN_MS);

    await askPersons(rest, 2);

    expect(rest.told).toEqual(['route_key open', 'route_key half-open', 'route_key open']);
    expect(rest.backend.hits()).toBe(21);
  });

  it('T10: opens again when the probe finds no connection', async () => {
    const rest = await openStaged();
    await openCircuit(rest);
    await rest.backend.stop();
    rest.passMs(OPEN_MS);

    const names = await askPersons(rest, 2);

    expect(names).toEqual(['circuit_open', 'circuit_open']);
    expect(rest.told).toEqual(['route_key open', 'route_key half-open', 'route_key open']);
  });

  it('does not open again at the first failure after it has closed', async () => {
    const rest = await openStaged();
    const { backend, upstream } = rest;
    await openCircuit(rest);
    backend.on('*', ok(personAsked), status(500), ok(personAsked));
    rest.passMs(OPEN_MS);

    await askPersons(rest, 3);

    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('does not count calls that are cancelled', async () => {
    const { backend, client, upstream } = await openRest();
    backend.on('*', silence());

    for (let i = 0; i < 40; i++) {
      const leaving = new Cancel();
      const call = outcome(getPerson(client({ leaving })));
      await until(() => backend.hits() > i);
      leaving.cancel();
      await call;
    }

    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('allows all reads of the probing request, and none of other requests', async () => {
    const rest = await openStaged();
    const { backend, client } = rest;
    await openCircuit(rest);
    const probe = held(ok(personAsked));
    backend.on('*', probe.behaviour);
    rest.passMs(OPEN_MS);
    const prober = client();

    const own = ['a', 'b', 'c'].map((id) => failureOf(getPerson(prober, id)));
    expect(await failureOf(getPerson(client(), 'd'))).toBe('circuit_open');
    await until(() => backend.hits() === 23);
    probe.release();

    expect(await Promise.all(own)).toEqual(['none', 'none', 'none']);
  });

  it('sends no further read of a request whose probe has failed', async () => {
    const rest = await openStaged();
    const { backend, client } = rest;
    await openCircuit(rest);
    rest.passMs(OPEN_MS);
    const prober = client();

    const names = [
      await failureOf(getPerson(prober, 'a')),
      await failureOf(getPerson(prober, 'b')),
    ];

    expect(names).toEqual(['status', 'circuit_open']);
    expect(backend.hits()).toBe(21);
  });

  it('finishes a probe whose caller has left, and closes when it succeeds', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    const answer = held(ok(personAsked));
    backend.on('*', answer.behaviour);
    rest.passMs(OPEN_MS);
    const leaving = new Cancel();
    const probe = failureOf(getPerson(client({ leaving })));
    await until(() => backend.hits() === 21);
    leaving.cancel();

    expect(await probe).toBe('cancelled');
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
    answer.release();

    await until(() => upstream.breaker.stateOf('route_key') === 'closed');
  });

  it('does not retry a probe whose caller has left', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    const answer = held(status(503));
    backend.on('*', answer.behaviour);
    rest.passMs(OPEN_MS);
    const leaving = new Cancel();
    const probe = failureOf(getPerson(client({ leaving })));
    await until(() => backend.hits() === 21);
    leaving.cancel();
    await probe;
    answer.release();

    await until(() => upstream.breaker.stateOf('route_key') === 'open');
    expect(rest.calls.filter(({ attempt }) => attempt > 1)).toEqual([]);
  });

  it('lets another request probe after 5 s while a probe is still in flight', async () => {
    const clock = new FakeClock();
    const rest = await openRest({ clock, timeoutMs: 60_000, requestTimeoutMs: 60_000 });
    const { backend, client, upstream } = rest;
    await openCircuit(rest);
    backend.on('*', silence(), ok(personAsked));
    clock.pass(OPEN_MS);
    const hanging = failureOf(getPerson(client()));
    await until(() => backend.hits() === 21);
    clock.pass(4_999);
    expect(await failureOf(getPerson(client()))).toBe('circuit_open');
    clock.pass(1);

    expect(await failureOf(getPerson(client()))).toBe('none');
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
    clock.pass(55_000);
    expect(await hanging).toBe('timeout');
  });

  it('returns a slow probe to all callers in its request, and rejects other requests for the same object', async () => {
    const rest = await openStaged();
    const { backend, client } = rest;
    await openCircuit(rest);
    const probe = held(ok(personAsked));
    backend.on('*', probe.behaviour);
    rest.passMs(OPEN_MS);
    const prober = client();
    const own = [failureOf(getPerson(prober)), failureOf(getPerson(prober))];
    await until(() => backend.hits() === 21);

    expect(await failureOf(getPerson(client()))).toBe('circuit_open');
    probe.release();

    expect(await Promise.all(own)).toEqual(['none', 'none']);
    expect(backend.hits()).toBe(21);
  });

  it('is not closed by the response to a call from before it opened', async () => {
    const rest = await openStaged();
    const { backend, client, upstream } = rest;
    const slow = held(ok(person('slow')));
    backend.on('GET /v0/persons/slow', slow.behaviour);
    const straggler = getPerson(client(), 'slow');
    await openCircuit(rest);

    slow.release();
    await straggler;

    expect(upstream.breaker.stateOf('route_key')).toBe('open');
  });

  it('rejects the calls in the queue when it opens', async () => {
    const rest = await openRest({ connections: 4 });
    const { backend, client } = rest;
    backend.on('*', after(20, status(500)));
    const calls = Array.from({ length: 60 }, (_, i) => failureOf(getPerson(client(), `p${i}`)));

    const failures = await Promise.all(calls);

    expect(rest.upstream.breaker.stateOf('route_key')).toBe('open');
    expect(failures.filter((name) => name === 'circuit_open').length).toBeGreaterThan(30);
    expect(backend.hits()).toBeLessThan(30);
  });

  it('rejects only the calls of its API key when it opens, whether queued or in flight', async () => {
    const clock = new FakeClock();
    const time = { clock, timeoutMs: 1_000, requestTimeoutMs: 5_000 };
    // Six attempts in flight in the route, of which five are of one key.
    const rest = await openRest({ ...time, connections: 7, breaker: { volume: 5 } });
    const { backend, client, upstream } = rest;
    const others = held(ok(personAsked));
    backend.on('*', (response, seen, socket) =>
      seen.headers['x-api-key'] === 'key-b'
        ? others.behaviour(response, seen, socket)
        : silence()(response, seen, socket),
    );
    backend.on('GET /v0/persons/known', ok(personAsked));
    for (const apiKey of ['key-a', 'key-b']) await getPerson(client({ apiKey }), 'known');
    const own = Array.from({ length: 8 }, (_, i) => failureOf(getPerson(client(), `a${i}`)));
    await until(() => backend.hits() === 7);
    clock.pass(500);
    const ofOther = Array.from({ length: 8 }, (_, i) =>
      failureOf(getPerson(client({ apiKey: 'key-b' }), `b${i}`)),
    );
    await until(() => backend.hits() === 8);
    clock.pass(500);
    clock.pass(50); // for the backoff of the first four

    expect(new Set(await Promise.all(own))).toEqual(new Set(['circuit_open']));
    expect(upstream.breaker.stateOf('route_key')).toBe('open');
    others.release();
    expect(new Set(await Promise.all(ofOther))).toEqual(new Set(['none']));
  });

  it('opens after twenty timeouts of a route and rejects all other calls to it, while another route responds', async () => {
    const clock = new FakeClock();
    const rest = await openRest({ clock, timeoutMs: 1_000 });
    const { backend, calls, client } = rest;
    backend.on('*', ok(personAsked));
    backend.on('GET /v0/topics/t', afterOn(clock, 600, ok(topic('t'))));
    await askPersons(rest, 50);
    backend.on('*', silence());
    const begunMs = clock.now();
    const before = calls.length;

    const asked: Promise<{ name: string; ms: number }>[] = [];
    let well: Promise<string> | undefined;
    while (clock.now() - begunMs < 1_500) {
      const askedMs = clock.now();
      asked.push(
        failureOf(getPerson(client(), `p${asked.length}`)).then((name) => ({
          name,
          ms: clock.now() - askedMs,
        })),
      );
      if (clock.now() - begunMs > 700) well ??= failureOf(getTopic(client()));
      await sleep(2); // for connections
      clock.pass(20);
    }
    clock.tick(20);
    const ended = await Promise.all(asked);

    const timeouts = calls.slice(before).filter(({ failure }) => failure === 'timeout');
    expect(timeouts).toHaveLength(20);
    expect(ended.length).toBeGreaterThan(40);
    const refused = ended.filter(({ name }) => name === 'circuit_open');
    const timedOut = ended.filter(({ name }) => name === 'timeout');
    expect(refused.length + timedOut.length).toBe(ended.length);
    expect(timedOut.length).toBeLessThanOrEqual(20);
    // No call waited for a second attempt to time out.
    expect(Math.max(...ended.map(({ ms }) => ms))).toBeLessThan(2_000);
    expect(await well).toBe('none');
  });

  it('leaves no timer that keeps the process alive', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const rest = await openRest({ breaker: { openMs: 60_000 } });
    await openCircuit(rest);

    // undici's fast timers are unref'd as ours are.
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('rejects calls of one key to one route, but not calls to another route or of another key', async () => {
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

    expect(names).toEqual(['circuit_open', 'none', 'status']);
    expect(backend.hits() - before).toBe(2);
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} open']);
  });

  it('is counted together with the circuits of other keys of its route, but closes independently', async () => {
    const rest = await openStaged();
    const { backend } = rest;
    await openCircuit(rest, 'key-a');
    await openCircuit(rest, 'key-b');
    expect(trippedOf(rest)).toEqual(['2 route_key /v0/persons/{person_id} open']);
    backend.on('*', ok(personAsked));
    rest.passMs(OPEN_MS);

    await askPersons(rest, 1, 'key-b');
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} half-open']);
    await askPersons(rest, 1, 'key-a');

    expect(trippedOf(rest)).toEqual([]);
    expect(backend.hits()).toBe(42);
  });

  it('closes after 16 seconds without a call', async () => {
    const rest = await openStaged();
    await openCircuit(rest);

    rest.passMs(16_000);

    expect(trippedOf(rest)).toEqual([]);
    expect(rest.told).toEqual(['route_key open', 'route_key closed']);
  });

  /** Reads something once with each of many keys. */
  const askWithKeys = async (
    { client }: Rest,
    count: number,
    read: (client: RestClient) => Promise<unknown>,
  ) => {
    for (let i = 0; i < count; i += 50) {
      const keys = Array.from({ length: 50 }, (_, j) => `key-${i + j}`);
      await Promise.all(keys.map((apiKey) => outcome(read(client({ apiKey })))));
    }
  };

  it.each<[string, Behaviour, Behaviour]>([
    ['accepted', ok(personAsked), status(500)],
    ['invented', status(401), reset()],
  ])('is open for at most a thousand %s keys', async (_what, answer, fault) => {
    const rest = await openRest({ breaker: { volume: 1 } });
    rest.backend.on('*', answer);
    await askWithKeys(rest, 1_100, getPerson);
    expect(trippedOf(rest)).toEqual([]);
    rest.backend.on('*', fault);

    await askWithKeys(rest, 1_200, getPerson);

    expect(trippedOf(rest)).toEqual(['1000 route_key /v0/persons/{person_id} open']);
  });

  it('closes when its key is evicted by a thousand keys that the backend never accepted', async () => {
    const rest = await openRest({ breaker: { volume: 1 } });
    rest.backend.on('*', reset());
    await outcome(getPerson(rest.client({ apiKey: 'forgotten' })));
    expect(trippedOf(rest)).toEqual(['1 route_key /v0/persons/{person_id} open']);

    await askWithKeys(rest, 1_000, getTopic);

    expect(trippedOf(rest)).toEqual(['1000 route_key /v0/topics/{topic_id} open']);
  });
});

describe('the circuit of the host', () => {
  it('opens when no connection succeeds for a second, counted across all routes and keys', async () => {
    const rest = await openStaged({ url: NOWHERE, speed: 20 });
    const { client, told, upstream } = rest;
    const ask = (apiKey: string) =>
      Promise.all([
        outcome(getPerson(client({ apiKey }))),
        outcome(getTopic(client({ apiKey }))),
        outcome(client({ apiKey }).call(routes.updateTopic, { path: { topic_id: 't' }, body: {} })),
      ]);

    await ask('key-a');
    await ask('key-b');
    expect(upstream.breaker.stateOf('host')).toBe('closed');
    rest.passMs(1_000);
    await ask('key-c');

    expect(upstream.breaker.stateOf('host')).toBe('open');
    expect(told).toContain('host open');
    expect(await failureOf(getTopic(client({ apiKey: 'stranger' })))).toBe('circuit_open');
  });

  it('opens when all callers share the reads of one person, and then rejects them immediately', async () => {
    const clock = new FakeClock();
    const rest = await openRest({ url: NOWHERE, clock });
    const { client, upstream } = rest;
    const tookMs: number[] = [];
    const asked: Promise<unknown>[] = [];
    for (let i = 0; i < 300; i++) {
      const begunMs = clock.now();
      asked.push(outcome(getPerson(client())).then(() => tookMs.push(clock.now() - begunMs)));
      await sleep(1); // for connections that are refused
      clock.pass(17);
    }
    clock.tick();
    await Promise.all(asked);

    expect(upstream.breaker.stateOf('host')).toBe('open');
    // The median of the last second; earlier callers waited half a second for attempts.
    expect(tookMs.slice(-60).sort((a, b) => a - b)[30]!).toBeLessThan(50);
  });

  it('T26: stays closed during a restart of half a second while a hundred calls wait', async () => {
    const rest = await openRest({ stopped: true });
    const { backend, client, told } = rest;
    backend.on('*', ok(personAsked));
    const asked = Array.from({ length: 100 }, (_, i) => failureOf(getPerson(client(), `p${i}`)));
    await sleep(450);
    await backend.start();

    expect(new Set(await Promise.all(asked))).toEqual(new Set(['none']));
    expect(told.filter((name) => name.includes('open'))).toEqual([]);
  });

  it('allows one probe, and closes when the probe gets a response, even a 500', async () => {
    const rest = await openStaged({ stopped: true, breaker: { outageMs: 0 } });
    const { backend, calls, client, upstream } = rest;
    await Promise.all(Array.from({ length: 5 }, (_, i) => outcome(getPerson(client(), `p${i}`))));
    expect(upstream.breaker.stateOf('host')).toBe('open');
    rest.passMs(OPEN_MS);
    const before = calls.length;
    expect(await failureOf(getPerson(client()))).toBe('circuit_open');
    // The probe, and what would have been its second attempt.
    expect(calls.slice(before).map(({ failure }) => failure)).toEqual([
      'ECONNREFUSED',
      'circuit_open',
    ]);
    expect(upstream.breaker.stateOf('host')).toBe('open');

    await backend.start();
    backend.on('*', after(50, status(500)), ok(personAsked));
    rest.passMs(OPEN_MS);
    const names = await Promise.all([
      failureOf(getPerson(client())),
      failureOf(getTopic(client())),
    ]);

    expect(names).toEqual(['status', 'circuit_open']);
    expect(upstream.breaker.stateOf('host')).toBe('closed');
    expect(await failureOf(getPerson(client()))).toBe('none');
  });

  it('stays closed while the backend responds, even with 500', async () => {
    const rest = await openStaged({ breaker: { outageMs: 0 } });
    await openCircuit(rest);

    expect(rest.upstream.breaker.stateOf('host')).toBe('closed');
  });
});
