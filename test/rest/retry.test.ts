import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestError } from '../../src/rest/call/errors.ts';
import { retryAfterOf } from '../../src/rest/decode/http-date.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { markReused, costOfRetry } from '../../src/rest/transport/transport-fault.ts';
import { routes } from '../../src/v0/routes.ts';
import {
  hangUp,
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
  NO_BREAKER,
  openRest,
  outcome,
  person,
  personAsked,
} from './open-rest.ts';
import { openRelay } from '../support/relay.ts';
import { inTimeZone, FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

const PERSON = 'GET /v0/persons/p';

describe('a failed read', () => {
  it.each<[string, Behaviour]>([
    ['a 502', status(502)],
    ['a 503', status(503)],
    ['a 504', status(504)],
    ...[520, 521, 522, 523, 524].map((code): [string, Behaviour] => [
      `a ${code} of Cloudflare`,
      html(code),
    ]),
  ])('is retried after %s', async (_name, fault) => {
    const { backend, client } = await openRest();
    backend.on(PERSON, fault, ok(personAsked));
    const one = client();

    const answer = await getPerson(one);

    expect(answer).toEqual(person('p'));
    expect(backend.hits()).toBe(2);
    expect(one.callLog.entries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(one.callLog).toMatchObject({ calls: 2, rounds: 2 });
  });

  it('is retried once after a 408, on a new connection', async () => {
    const { backend, client } = await openRest();
    const sockets = new Set<Socket>();
    const timedOut: Behaviour = (response, _seen, socket) => {
      sockets.add(socket);
      response.writeHead(408, { connection: 'close' }).end();
    };
    backend.on('*', ok(personAsked));
    await getPerson(client(), 'warm');
    backend.on(PERSON, timedOut, (response, seen, socket) => {
      sockets.add(socket);
      void ok(personAsked)(response, seen, socket);
    });

    expect(await getPerson(client())).toEqual(person('p'));
    expect(sockets.size).toBe(2);
    backend.on(PERSON, timedOut);
    expect(await outcome(getPerson(client()))).toMatchObject({ status: 408 });
    expect(backend.hits(PERSON)).toBe(2);
  });

  it.each([400, 401, 403, 404, 409, 422, 429, 500, 501, 525, 530])(
    'is not retried after a %i',
    async (code) => {
      const { backend, client } = await openRest();
      backend.on(PERSON, status(code), ok(personAsked));

      expect(await outcome(getPerson(client()))).toMatchObject({ status: code });
      expect(backend.hits()).toBe(1);
    },
  );

  it('is attempted three times at most', async () => {
    const { backend, client } = await openRest();
    backend.on(PERSON, status(503));

    expect(await outcome(getPerson(client()))).toMatchObject({ status: 503 });
    expect(backend.hits()).toBe(3);
  });

  it('is attempted three times at most when every connection ends in the middle of the headers', async () => {
    const { backend, client } = await openRest();
    const one = client();
    backend.on('GET /v0/persons/warm', ok(personAsked));
    await getPerson(one, 'warm');
    backend.on(PERSON, (_response, _seen, socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Ty');
    });

    expect(await failureOf(getPerson(one))).toBe('unreachable');
    expect(backend.hits(PERSON)).toBeLessThanOrEqual(3);
  });

  it('is attempted eight times within 1,125 ms when no connection can be made', async () => {
    const clock = new FakeClock();
    const { calls, client } = await openRest({ clock, stopped: true, breaker: NO_BREAKER });
    clock.tick();
    const begunMs = clock.now();

    expect(await failureOf(getPerson(client()))).toBe('unreachable');
    expect(calls).toHaveLength(8);
    expect(clock.now() - begunMs).toBeLessThan(1_200);
  });

  it('stops waiting for a retry immediately when its caller leaves', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    backend.on('*', ok(personAsked));
    backend.on(PERSON, status(503, { 'retry-after': '2' }), ok(personAsked));
    const leaving = new Cancel();

    const failure = failureOf(getPerson(client({ leaving })));
    await until(() => clock.waits[0]! < 2_500);
    leaving.cancel();

    expect(await failure).toBe('cancelled');
    clock.pass(2_500);
    await getPerson(client(), 'later');
    expect(backend.hits(PERSON)).toBe(1);
  });

  it('is retried after a timeout only while a full attempt fits into the remaining time', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock, timeoutMs: 300, requestTimeoutMs: 800 });
    backend.on(PERSON, silence());

    const failure = failureOf(getPerson(client()));
    await until(() => backend.hits() === 1);
    clock.pass(300);
    await until(() => clock.waits[0]! <= 25);
    clock.pass(25);
    await until(() => backend.hits() === 2);
    clock.pass(300);

    expect(await failure).toBe('timeout');
    expect(backend.hits()).toBe(2);
  });
});

it('reads over idle connections that are reset all succeed, and each reaches the backend once', async () => {
  const { backend } = await openRest();
  const relay = await openRelay();
  relay.leadTo(backend.port);
  const { client, told, upstream } = await openRest({ url: `http://127.0.0.1:${relay.port}` });
  backend.on('*', ok(personAsked));
  const failures: string[] = [];

  for (let round = 0; round < 20; round++) {
    // The phase of the event loop decides whether undici begins the calls before it reads the resets: try several.
    if (round % 4 > 0) await turn();
    relay.resetIdle();
    const one = client();
    const names = await Promise.all(
      Array.from({ length: 20 }, (_, i) => failureOf(getPerson(one, `p${round}-${i}`))),
    );
    failures.push(...names.filter((name) => name !== 'none'));
  }

  expect(failures).toEqual([]);
  expect(backend.hits()).toBe(400);
  expect(told).not.toContain('budget exhausted');
  expect(upstream.breaker.tripped).toEqual([]);
});

describe('a read whose idle connection is closed as it is sent', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['closed normally', (socket) => void socket.end()],
  ])(
    'is retried without using the retry budget when the connection is %s',
    async (_name, close) => {
      const { backend, client, told, upstream } = await openRest();
      const served = new WeakSet<Socket>();
      let isClosing = false;
      let ended = 0;
      backend.on('*', (response, seen, socket) => {
        if (isClosing && served.has(socket)) {
          ended += 1;
          close(socket);
          return;
        }
        served.add(socket);
        void ok(personAsked)(response, seen, socket);
      });
      const readMany = () =>
        Promise.all(
          Array.from({ length: 60 }, (_, i) =>
            failureOf(getPerson(client({ apiKey: `k${i % 3}` }), `p${i}`)),
          ),
        );
      const names: string[] = [];
      await readMany();

      for (let i = 0; i < 7; i++) {
        names.push(...(await readMany()));
        isClosing = true;
      }

      expect(new Set(names)).toEqual(new Set(['none']));
      // Many more than the retry budget would have paid for.
      expect(ended).toBeGreaterThan(100);
      expect(told).not.toContain('budget exhausted');
      expect(upstream.breaker.tripped).toEqual([]);
    },
  );

  it('is retried without using the retry budget after EPIPE on a reused connection', () => {
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const sent = { isConnected: true, isAnswered: false, number: 1 };
    expect(costOfRetry(broken, sent)).toBe('load');
    markReused(broken);

    expect(costOfRetry(broken, sent)).toBe('nothing');
    expect(costOfRetry(broken, { ...sent, isAnswered: true }), 'partially received').toBe('load');
    expect(costOfRetry(broken, { ...sent, number: 2 }), 'on a fresh connection').toBe('load');
    expect(costOfRetry(broken, { ...sent, isConnected: false, number: 2 }), 'never begun').toBe(
      'nothing',
    );
  });
});

it.each(['EMFILE', 'ENFILE'])(
  'a process out of file descriptors fails calls with out_of_files, retries none and opens no circuit: %s',
  async (code) => {
    const dispatcher = new BackendDispatcher('http://127.0.0.1:9');
    const failing = vi.spyOn(dispatcher, 'dispatch').mockImplementation((_options, handler) => {
      const error = Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });
      setImmediate(() => handler.onResponseError!({} as never, error));
      return true;
    });
    const { calls, client, upstream } = await openRest({
      dispatcher,
      breaker: { volume: 1, outageMs: 0 },
    });

    const failure = await outcome(getPerson(client()));
    const write = client().call(routes.updateTopic, { path: { topic_id: 't' }, body: {} });

    expect(failure).toMatchObject({ kind: 'out_of_files', cause: { code } });
    expect(await failureOf(write)).toBe('out_of_files');
    expect(calls.map(({ failure: kind }) => kind)).toEqual(['out_of_files', 'out_of_files']);
    expect(failing).toHaveBeenCalledTimes(2);
    expect(upstream.breaker.tripped).toEqual([]);
  },
);

describe('the retry budget', () => {
  it.each<[string, Behaviour]>([
    ['503', status(503)],
    ['resets', reset()],
    ['closed connections', hangUp()],
  ])('T9: limits 200 calls during an outage of %s to 240 attempts', async (_name, fault) => {
    const { backend, client, told } = await openRest({ breaker: NO_BREAKER });
    backend.on('*', fault);

    for (let i = 0; i < 200; i += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, j) => outcome(getPerson(client(), `p${i + j}`))),
      );
    }

    // Ten retries are free, and each tenth read earns one.
    expect(backend.hits()).toBeGreaterThanOrEqual(225);
    expect(backend.hits()).toBeLessThanOrEqual(240);
    expect(told).toContain('budget exhausted');
  });

  it('limits 200 calls during an outage to 240 attempts after 300 successes too', async () => {
    const { backend, client } = await openRest({ breaker: NO_BREAKER });
    backend.on(
      '*',
      ok((seen: { target: string }) => person(seen.target.slice(12))),
    );
    for (let i = 0; i < 300; i++) await getPerson(client(), `p${i}`);
    backend.on('*', status(503));

    for (let i = 0; i < 200; i += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, j) => outcome(getPerson(client(), `p${i + j}`))),
      );
    }

    expect(backend.hits() - 300).toBeGreaterThanOrEqual(225);
    expect(backend.hits() - 300).toBeLessThanOrEqual(240);
  });
});

describe('a rate limit', () => {
  it('delays only the calls of its key, until Retry-After has passed', async () => {
    const clock = new FakeClock();
    const { backend, client, told } = await openRest({ clock });
    let limited = 0;
    backend.on('*', (response, seen, socket) => {
      const early = seen.headers['x-api-key'] === 'key-a' && limited++ === 0;
      return (early ? status(429, { 'retry-after': '1' }) : ok(personAsked))(
        response,
        seen,
        socket,
      );
    });

    const first = getPerson(client());
    await until(() => told.includes('pause'));
    const paused = getPerson(client(), 'q');
    clock.pass(999);
    expect(await getPerson(client({ apiKey: 'key-b' }))).toBeDefined();
    expect(backend.hits()).toBe(2);
    // Both are sent within 50 ms after the pause, the retry after its backoff.
    clock.pass(101);
    await Promise.all([first, paused]);

    expect(backend.hits()).toBe(4);
    expect(told).toContain('pause');
  });

  it('delays calls for at most a minute, whatever the value of Retry-After', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    backend.on('*', status(429, { 'retry-after': '3600' }), ok(personAsked));
    await outcome(getPerson(client()));

    expect(await outcome(getPerson(client(), 'q'))).toMatchObject({ retryAfterMs: 60_000 });
    clock.pass(59_999);
    expect(backend.hits()).toBe(1);
    clock.pass(1);

    expect(await getPerson(client(), 'q')).toMatchObject({ personId: 'q' });
    expect(backend.hits()).toBe(2);
  });

  it('immediately rejects a call that cannot wait until it ends', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    backend.on('*', status(429, { 'retry-after': '30' }));
    await outcome(getPerson(client()));

    // Calls start within 50 ms after the end.
    const failure = await outcome(getPerson(client({ deadlineMs: clock.now() + 30_050 }), 'q'));

    expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterMs: 30_000 });
    expect(backend.hits()).toBe(1);
  });

  it('lets at most a thousand calls wait each time, and rejects further calls', async () => {
    const clock = new FakeClock();
    const { backend, client, told } = await openRest({ clock });

    for (let pause = 1; pause <= 2; pause++) {
      backend.on('*', status(429, { 'retry-after': '1' }), ok(personAsked));
      const first = outcome(getPerson(client(), 'first'));
      await until(() => told.filter((event) => event === 'pause').length === pause);
      const calls = Array.from({ length: 1_001 }, (_, i) => failureOf(getPerson(client(), `${i}`)));
      expect(await calls.at(-1)).toBe('rate_limited');
      clock.pass(2_000);

      await first;
      expect((await Promise.all(calls)).filter((kind) => kind !== 'none')).toEqual([
        'rate_limited',
      ]);
    }
  });
});

describe('Retry-After', () => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT';

  it.each([
    ['3', 3_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 02:00:05 +0200', 5_000],
    ['soon', undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', 2_000],
    ['0.001', 1_000],
    ['2.0', 2_000],
    ['1.', undefined],
    ['1.5s', undefined],
    ['1e3', undefined],
    [' 3 ', 3_000],
    ['99999999999', 86_400_000],
  ])('of "%s" is %s ms', (header, ms) => {
    expect(retryAfterOf({ date, 'retry-after': header })).toBe(ms);
  });
});

it.each(['America/New_York', 'Asia/Tokyo', 'UTC'])(
  'Retry-After as an asctime date is in UTC in the time zone %s',
  (zone) => {
    inTimeZone(zone);

    const dates = ['Thu, 01 Jan 2026 00:00:05 GMT', 'Thu Jan  1 00:00:05 2026'];
    for (const then of dates) {
      for (const date of ['Thu, 01 Jan 2026 00:00:00 GMT', 'Thu Jan  1 00:00:00 2026']) {
        expect(retryAfterOf({ date, 'retry-after': then })).toBe(5_000);
      }
    }
  },
);

it('the later of two Retry-After values applies to a key', async () => {
  const { backend, client } = await openRest();
  const short = held(status(429, { 'retry-after': '20' }));
  backend.on('GET /v0/persons/long', status(429, { 'retry-after': '50' }));
  backend.on('GET /v0/persons/short', short.behaviour);
  const pending = outcome(getPerson(client(), 'short'));
  await until(() => backend.hits() === 1);
  await outcome(getPerson(client(), 'long'));
  short.release();
  await pending;

  const failure = await outcome(getPerson(client(), 'other'));

  expect(failure).toMatchObject({ kind: 'rate_limited' });
  expect((failure as RestError).retryAfterMs).toBeGreaterThan(40_000);
});

it('the call log records a call that a rate limit rejected, with the source "unsent"', async () => {
  const { backend, client } = await openRest();
  backend.on(PERSON, status(429, { 'retry-after': '50' }));
  await outcome(getPerson(client()));
  const next = client();

  await failureOf(getPerson(next, 'other'));

  expect(next.callLog.entries).toMatchObject([{ source: 'unsent' }]);
  expect(backend.hits()).toBe(1);
});
