import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, drip, ok, silence, status } from '../support/faults.ts';
import { failureOf, getPerson, openRest, outcome, personAsked } from './open-rest.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

describe('the deadline of a request', () => {
  it.each([
    ['T3: silence', silence()],
    ['T4: an endless body that drips', drip(20)],
  ])('ends a call on time and trips no circuit: %s', async (_name, fault) => {
    const clock = new FakeClock();
    const { backend, client, upstream } = await openRest({ clock });
    backend.on('GET /v0/persons/p', fault);
    backend.on('GET /v0/persons/later', ok(personAsked));
    let failure: string | undefined;
    const asked = failureOf(getPerson(client({ deadlineMs: clock.now() + 300 }))).then(
      (name) => (failure = name),
    );
    await until(() => backend.hits() === 1);

    clock.pass(299);
    await getPerson(client(), 'later');
    expect(failure).toBeUndefined();
    clock.pass(1);

    expect(await asked).toBe('timeout');
    expect(upstream.breaker.tripped).toEqual([]);
  });

  it('leaves the remaining time to other calls when an attempt times out', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock, timeoutMs: 200, requestTimeoutMs: 350 });
    backend.on('GET /v0/persons/slow', silence());
    backend.on('GET /v0/persons/p', ok(personAsked));
    const one = client();

    const slow = failureOf(getPerson(one, 'slow'));
    await until(() => backend.hits() === 1);
    clock.pass(200);

    expect(await slow).toBe('timeout');
    expect(await getPerson(one)).toBeDefined();
    expect(backend.hits('GET /v0/persons/slow')).toBe(1);
  });

  it('ends each call that still waits after other calls have completed', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    backend.on('GET /v0/persons/p', ok(personAsked));
    backend.on('*', silence());
    const one = client({ deadlineMs: clock.now() + 300 });

    const [answered, ...waiting] = ['p', 'q', 'r'].map((id) => failureOf(getPerson(one, id)));
    expect(await answered).toBe('none');
    clock.pass(300);

    expect(await Promise.all(waiting)).toEqual(['timeout', 'timeout']);
  });

  it('is shared by sequential calls', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock });
    backend.on('*', (...args) => {
      clock.pass(100);
      return ok(personAsked)(...args);
    });
    const one = client({ deadlineMs: clock.now() + 350 });
    const names: string[] = [];

    for (let i = 0; i < 10; i++) names.push(await failureOf(getPerson(one, `p${i}`)));

    expect(names.slice(0, 3)).toEqual(['none', 'none', 'none']);
    expect(new Set(names.slice(3))).toEqual(new Set(['timeout']));
    expect(backend.hits()).toBe(4);
  });

  it('includes the wait for a connection', async () => {
    const clock = new FakeClock();
    const { backend, client } = await openRest({ clock, connections: 2, timeoutMs: 300 });
    backend.on('*', silence());

    const failures = Array.from({ length: 6 }, (_, i) =>
      failureOf(getPerson(client({ deadlineMs: clock.now() + 250 }), `p${i}`)),
    );
    await until(() => backend.hits() > 0);
    clock.pass(250);

    expect(new Set(await Promise.all(failures))).toEqual(new Set(['timeout']));
    expect(backend.hits()).toBeLessThanOrEqual(2);
  });

  it('rejects calls made after it', async () => {
    const { backend, client } = await openRest();

    expect(await failureOf(getPerson(client({ deadlineMs: performance.now() })))).toBe('timeout');
    expect(backend.hits()).toBe(0);
  });
});

it('a write fails with outcome_unknown at the deadline of its request', async () => {
  const clock = new FakeClock();
  const { backend, client } = await openRest({ clock });
  backend.on('*', silence());
  let failure: string | undefined;
  const write = client({ deadlineMs: clock.now() + 200 }).call(routes.updateTopic, {
    path: { topic_id: 't' },
    body: { title: 'x' },
  });

  const asked = failureOf(write).then((name) => (failure = name));
  await until(() => backend.hits() === 1);
  clock.pass(199);
  await turn();
  expect(failure).toBeUndefined();
  clock.pass(1);

  expect(await asked).toBe('outcome_unknown');
});

describe('the calls of a request', () => {
  it('stop listening for cancellation when they have ended', async () => {
    const { backend, client } = await openRest();
    backend.on('*', ok(personAsked), status(404));
    const leaving = new Cancel();
    const heard: unknown[] = [];
    leaving.listen = (listener) => heard.push(listener);
    const one = client({ leaving });

    await getPerson(one);
    await outcome(getPerson(one));

    expect(heard).toEqual([expect.any(Object), undefined, expect.any(Object), undefined]);
  });

  it('are limited in number, counting shared calls and not retries', async () => {
    const { backend, client } = await openRest();
    backend.on('*', status(503), after(20, ok(personAsked)));
    const one = client({ maxCalls: 3 });

    const names = await Promise.all([
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
    ]);

    expect(names).toEqual(['none', 'none', 'none', 'budget']);
    expect(backend.hits()).toBe(2);
  });

  it('are rejected when the key cannot be sent as a header, without showing the key', async () => {
    const { backend, client } = await openRest();

    for (const apiKey of [undefined, '', 'a b', 'a\r\nx-evil: 1', 'clé', 'k'.repeat(5_000)]) {
      const failure = await outcome(getPerson(client({ apiKey })));
      expect(failure).toMatchObject({ kind: 'unauthenticated' });
      if (apiKey) expect((failure as Error).message).not.toContain(apiKey);
    }

    expect(backend.hits()).toBe(0);
  });

  it('end when the request is cancelled, whether queued or in flight', async () => {
    const { backend, client } = await openRest({ connections: 2 });
    backend.on('*', silence());
    backend.on('GET /v0/persons/later', ok(personAsked));
    const leaving = new Cancel();
    const one = client({ leaving });

    const calls = Array.from({ length: 6 }, (_, i) => failureOf(getPerson(one, `p${i}`)));
    await until(() => backend.hits() > 0);
    leaving.cancel();

    expect(new Set(await Promise.all(calls))).toEqual(new Set(['cancelled']));
    await getPerson(client(), 'later');
    expect(backend.hits('*')).toBeLessThanOrEqual(2);
    expect(await failureOf(getPerson(one))).toBe('cancelled');
  });
});
