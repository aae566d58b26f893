/** Reads that begin before they are asked: they wait for nothing, and change no other call. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ReadAhead, RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { atOnce } from '../support/at-once.ts';
import { held, ok, silence, status } from '../support/faults.ts';
import { StagedClock } from '../support/staged-time.ts';
import { until } from '../support/until.ts';
import { failureOf, getPerson, openRest, outcome, person, personAsked } from './open-rest.ts';

const pathOf = (id: string) => `/v0/persons/${id}`;
const hit = (id: string) => `GET ${pathOf(id)}`;

/** Begins to read a person; its failure is read by `answer`. */
function beginAhead(client: RestClient, id = 'p'): ReadAhead {
  const begun = client.beginAhead(routes.getPerson, pathOf(id));
  begun.answer.catch(() => {});
  return begun;
}

/** A backend that accepts the key, and then leaves calls of persons without an answer. */
async function openSilent(options: Parameters<typeof openRest>[0] = {}) {
  const rest = await openRest({ clock: new StagedClock(), ...options });
  rest.backend.on('*', ok(personAsked));
  await getPerson(rest.client(), 'accepted');
  rest.backend.on('*', silence());
  return rest;
}

describe('a read that begins before it is asked', () => {
  it('is one call, whose answer is checked as any other', async () => {
    const { backend, client } = await openRest();
    backend.on(hit('good'), ok(personAsked));
    backend.on(hit('bad'), ok({}));

    const good = beginAhead(client(), 'good');
    const bad = beginAhead(client(), 'bad');

    expect(await good.answer).toMatchObject({ personId: 'good' });
    expect(await outcome(bad.answer)).toMatchObject({ kind: 'invalid_response' });
    expect(backend.hits()).toBe(2);
  });

  it('is not begun where a call of its key would wait', async () => {
    const rest = await openSilent({ connections: 4 });
    const client = rest.client();
    const asked = [1, 2, 3, 4].map((i) => outcome(getPerson(client, `asked${i}`)));

    const begun = beginAhead(client);

    expect(begun.call.isSettled).toBe(true);
    expect(await failureOf(atOnce(begun.answer))).toBe('cancelled');
    client.abort();
    await Promise.all(asked);
    expect(rest.backend.hits(hit('p'))).toBe(0);
  });

  it('leaves half of the connections to calls that are asked, whatever the number of keys', async () => {
    const { backend, client } = await openRest({ clock: new StagedClock(), connections: 16 });
    backend.on('*', ok(personAsked));
    const keys = ['key-a', 'key-b', 'key-c'];
    for (const apiKey of keys) await getPerson(client({ apiKey }), 'accepted');
    backend.on('*', silence());
    const clients = keys.map((apiKey) => client({ apiKey }));

    const begun = Array.from({ length: 30 }, (_, i) => beginAhead(clients[i % 3]!, `p${i}`));

    expect(begun.filter(({ call }) => !call.isSettled)).toHaveLength(8);
    for (const one of clients) one.abort();
  });

  it('is not begun in the pause of a rate-limited key', async () => {
    const { backend, client, told } = await openRest({ clock: new StagedClock() });
    backend.on(hit('limited'), status(429, { 'retry-after': '1' }));
    const limited = client();
    const asked = outcome(getPerson(limited, 'limited'));
    await until(() => told.includes('pause'));

    const begun = beginAhead(client());

    expect(begun.call.isSettled).toBe(true);
    limited.abort();
    await asked;
    expect(backend.hits(hit('p'))).toBe(0);
  });

  it('is not begun while a circuit is not closed, and takes no probe from a call that is asked', async () => {
    const clock = new StagedClock();
    const { backend, client, upstream } = await openRest({ clock, breaker: { volume: 3 } });
    backend.on('*', status(500));
    for (let i = 0; i < 3; i++) await outcome(getPerson(client(), `p${i}`));
    expect(upstream.breaker.stateOf('route_key')).toBe('open');

    const whileOpen = beginAhead(client());
    clock.pass(5_001);
    const whileHalfOpen = beginAhead(client());
    backend.on('*', ok(personAsked));
    const probe = await getPerson(client(), 'probe');

    expect([whileOpen.call.isSettled, whileHalfOpen.call.isSettled]).toEqual([true, true]);
    expect(backend.hits(hit('p'))).toBe(0);
    expect(probe).toMatchObject({ personId: 'probe' });
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('has one attempt, and takes nothing of the retry budget', async () => {
    const { backend, client } = await openRest();
    backend.on(hit('p'), status(503));

    const begun = beginAhead(client());

    expect(await outcome(begun.answer)).toMatchObject({ kind: 'status', status: 503 });
    expect(backend.hits()).toBe(1);
  });

  it('is joined by no other request, and joins none', async () => {
    const { backend, client } = await openRest();
    const first = held(ok(person('p', 'Before')));
    const second = held(ok(person('p', 'Between')));
    backend.on(hit('p'), first.behaviour, second.behaviour, ok(person('p', 'After')));

    const asked = getPerson(client());
    await until(() => backend.hits() === 1);
    const begun = beginAhead(client());
    await until(() => backend.hits() === 2);
    first.release();
    expect(await asked).toMatchObject({ name: 'Before' });
    const later = await getPerson(client());
    second.release();

    expect(later).toMatchObject({ name: 'After' });
    expect(await begun.answer).toMatchObject({ name: 'Between' });
  });

  it('counts as a call, and not for the budget of the request', async () => {
    const { backend, client } = await openRest();
    backend.on('*', ok(personAsked));
    const one = client({ maxCalls: 1 });

    await beginAhead(one, 'ahead').answer;
    const asked = await getPerson(one, 'asked');

    expect(asked).toMatchObject({ personId: 'asked' });
    expect(one.callLog.calls).toBe(2);
    expect(await failureOf(getPerson(one, 'another'))).toBe('budget');
  });

  it('is no round, no wait and no header of the request until it is asked', async () => {
    const { backend, client } = await openRest({ exposeHeaders: ['x-left'] });
    backend.on('*', ok(personAsked, { 'x-left': '41' }));
    const one = client();

    const { call, answer } = beginAhead(one);
    await answer;
    const { rounds, backendMs, exposed } = one.callLog;
    call.ahead = 'used';

    expect({ rounds, backendMs, exposed }).toEqual({ rounds: 0, backendMs: 0, exposed: undefined });
    expect(call.exposed).toEqual([['x-left', '41']]);
    expect(one.callLog.rounds).toBe(1);
    expect(one.callLog.entries).toMatchObject([{ ahead: 'used', source: 'sent', status: 200 }]);
  });

  it('ends with its request, and closes its connection', async () => {
    const { backend, client } = await openSilent();
    let closed: Promise<unknown> | undefined;
    backend.on(hit('p'), (_response, _seen, socket) => void (closed = once(socket, 'close')));
    const one = client();
    const { answer } = beginAhead(one);
    await until(() => closed !== undefined);

    one.abort();

    expect(await failureOf(answer)).toBe('cancelled');
    await closed;
    expect(() => beginAhead(one)).toThrow('given up');
  });

  it('ends at the deadline of its request, after which none begins', async () => {
    const clock = new StagedClock();
    const { client } = await openSilent({ clock, timeoutMs: 60_000 });
    const one = client({ deadlineMs: clock.now() + 1_000 });
    const { answer } = beginAhead(one);

    clock.pass(1_001);

    expect(await failureOf(answer)).toBe('timeout');
    expect(() => beginAhead(one)).toThrow('in time');
  });
});
