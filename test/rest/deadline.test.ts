import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cancel } from '../../src/lib/cancel.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { after, drip, ok, silence, status } from '../support/faults.ts';
import { failureOf, openRest, outcome, person } from './open-rest.ts';
import { slowness } from '../support/slowness.ts';

const getPerson = (client: RestClient, id = 'p') =>
  client.call(routes.getPerson, { path: { person_id: id } });

describe('the deadline of a request', () => {
  it.each([
    ['T3: silence', silence()],
    ['T4: a body that drips for ever', drip(20)],
  ])('ends %s', async (_name, fault) => {
    const { backend, client, upstream } = await openRest();
    backend.on('*', fault);
    const begun = performance.now();

    const failure = await failureOf(getPerson(client({ deadlineMs: begun + 300 })));
    const tookMs = performance.now() - begun;

    expect(failure).toBe('RestTimeoutError');
    expect(tookMs).toBeGreaterThanOrEqual(295);
    expect(tookMs / slowness()).toBeLessThan(400);
    expect(upstream.breaker.tripped).toEqual([]);
  });

  it('ends a try that has its own time, and leaves the rest to others', async () => {
    const { backend, client } = await openRest({ timeoutMs: 200, requestTimeoutMs: 350 });
    backend.on('GET /v0/persons/slow', silence());
    backend.on('GET /v0/persons/p', ok(person('p')));
    const one = client();
    const begun = performance.now();

    const [slow, fast] = await Promise.all([failureOf(getPerson(one, 'slow')), getPerson(one)]);

    expect(slow).toBe('RestTimeoutError');
    expect(fast).toBeDefined();
    expect((performance.now() - begun) / slowness()).toBeLessThan(300);
  });

  it('is one for all calls of the request, however many follow each other', async () => {
    const { backend, client } = await openRest();
    backend.on('*', after(100, ok(person('p'))));
    const begun = performance.now();
    const one = client({ deadlineMs: begun + 350 });
    const names: string[] = [];

    for (let i = 0; i < 10; i++) names.push(await failureOf(getPerson(one, `p${i}`)));

    expect(names.slice(0, 3)).toEqual(['none', 'none', 'none']);
    expect(new Set(names.slice(3))).toEqual(new Set(['RestTimeoutError']));
    expect((performance.now() - begun) / slowness()).toBeLessThan(450);
    expect(backend.hits()).toBe(4);
  });

  it('counts the wait for a connection', async () => {
    const { backend, client } = await openRest({ connections: 2, timeoutMs: 300 });
    backend.on('*', silence());
    const begun = performance.now();

    const failures = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        failureOf(getPerson(client({ deadlineMs: begun + 250 }), `p${i}`)),
      ),
    );

    expect(new Set(failures)).toEqual(new Set(['RestTimeoutError']));
    expect((performance.now() - begun) / slowness()).toBeLessThan(350);
    expect(backend.hits()).toBeLessThanOrEqual(2);
  });

  it('refuses calls that come after it', async () => {
    const { backend, client } = await openRest();

    expect(await failureOf(getPerson(client({ deadlineMs: performance.now() })))).toBe(
      'RestTimeoutError',
    );
    expect(backend.hits()).toBe(0);
  });

  it('keeps neither a timer nor a listener when nothing waits', async () => {
    const { backend, client } = await openRest();
    backend.on('*', ok(person('p')), status(404));
    const leaving = new Cancel();
    const heard: unknown[] = [];
    leaving.listen = (listener) => heard.push(listener);
    const one = client({ leaving });

    await getPerson(one);
    await outcome(getPerson(one));

    expect(heard).toEqual([expect.any(Object), undefined, expect.any(Object), undefined]);
  });
});

describe('the calls of a request', () => {
  it('may be so many, shared ones included and retries not', async () => {
    const { backend, client } = await openRest();
    backend.on('*', status(503), after(20, ok(person('p'))));
    const one = client({ maxCalls: 3 });

    const names = await Promise.all([
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
      failureOf(getPerson(one)),
    ]);

    expect(names).toEqual(['none', 'none', 'none', 'RestBudgetError']);
    expect(backend.hits()).toBe(2);
  });

  it('are refused without a key that a header can hold', async () => {
    const { backend, client } = await openRest();

    for (const apiKey of [undefined, '', 'a b', 'a\r\nx-evil: 1', 'clé', 'k'.repeat(5_000)]) {
      const failure = await outcome(getPerson(client({ apiKey })));
      expect(failure).toMatchObject({ name: 'RestUnauthenticatedError' });
      if (apiKey) expect((failure as Error).message).not.toContain(apiKey);
    }

    expect(backend.hits()).toBe(0);
  });

  it('end when their caller leaves, in the queue as on the wire', async () => {
    const { backend, client } = await openRest({ connections: 2 });
    backend.on('*', silence());
    const leaving = new Cancel();
    const one = client({ leaving });

    const calls = Array.from({ length: 6 }, (_, i) => failureOf(getPerson(one, `p${i}`)));
    await sleep(50);
    leaving.cancel();

    expect(new Set(await Promise.all(calls))).toEqual(new Set(['RestAbortedError']));
    await sleep(50);
    expect(backend.hits()).toBeLessThanOrEqual(2);
    expect(await failureOf(getPerson(one))).toBe('RestAbortedError');
  });
});
