/** Speculative reads: they wait for nothing, and change no other call. */
import { describe, expect, it } from 'vitest';
import type { RestClient } from '../../src/rest/client/client.ts';
import { routes } from '../../src/v0/routes.ts';
import { immediate } from '../support/immediate.ts';
import { held, ok, silence, status } from '../support/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import {
  failureOf,
  getPerson,
  NOWHERE,
  openRest,
  outcome,
  person,
  personAsked,
} from './open-rest.ts';

const pathOf = (id: string) => `/v0/persons/${id}`;
const hit = (id: string) => `GET ${pathOf(id)}`;

/** Reads a person as a policy may that has put itself around the calls of a request. */
function speculate(client: RestClient, id = 'p'): Promise<unknown> {
  const plain = client.makeCall;
  client.makeCall = (call) => plain({ ...call, priority: 'speculative' });
  const answer = getPerson(client, id);
  client.makeCall = plain;
  answer.catch(() => {}); // read later
  return answer;
}

/** A backend that accepts the key, and then leaves calls of persons without a response. */
async function openSilent(options: Parameters<typeof openRest>[0] = {}) {
  const rest = await openRest({ clock: new FakeClock(), ...options });
  rest.backend.on('*', ok(personAsked));
  await getPerson(rest.client(), 'accepted');
  rest.backend.on('*', silence());
  return rest;
}

describe('a speculative read', () => {
  it('is one call, whose response is checked like any other', async () => {
    const { backend, client } = await openRest();
    backend.on(hit('good'), ok(personAsked));
    backend.on(hit('bad'), ok({}));

    const good = speculate(client(), 'good');
    const bad = speculate(client(), 'bad');

    expect(await good).toMatchObject({ personId: 'good' });
    expect(await outcome(bad)).toMatchObject({ kind: 'invalid_response' });
    expect(backend.hits()).toBe(2);
  });

  it('is not started when a call of its key would wait', async () => {
    const rest = await openSilent({ connections: 4 });
    const client = rest.client();
    const asked = [1, 2, 3, 4].map((i) => outcome(getPerson(client, `asked${i}`)));

    const begun = speculate(client);

    expect(await failureOf(immediate(begun))).toBe('cancelled');
    client.abort();
    await Promise.all(asked);
    expect(rest.backend.hits(hit('p'))).toBe(0);
  });

  it('leaves half of the connections to requested calls, whatever the number of keys', async () => {
    const { backend, client } = await openRest({ clock: new FakeClock(), connections: 16 });
    backend.on('*', ok(personAsked));
    const keys = ['key-a', 'key-b', 'key-c'];
    for (const apiKey of keys) await getPerson(client({ apiKey }), 'accepted');
    backend.on('*', silence());
    const clients = keys.map((apiKey) => client({ apiKey }));

    for (let i = 0; i < 30; i++) void speculate(clients[i % 3]!, `p${i}`);

    expect(clients.map(({ callLog }) => callLog.calls)).toEqual([3, 3, 2]);
    for (const one of clients) one.abort();
  });

  it('is not started while its key is rate limited', async () => {
    const { backend, client, told } = await openRest({ clock: new FakeClock() });
    backend.on(hit('limited'), status(429, { 'retry-after': '1' }));
    const limited = client();
    const asked = outcome(getPerson(limited, 'limited'));
    await until(() => told.includes('pause'));

    const begun = speculate(client());

    expect(await failureOf(immediate(begun))).toBe('cancelled');
    limited.abort();
    await asked;
    expect(backend.hits(hit('p'))).toBe(0);
  });

  it('is not started while a circuit is not closed, and takes no probe from a requested call', async () => {
    const clock = new FakeClock();
    const { backend, client, upstream } = await openRest({ clock, breaker: { volume: 3 } });
    backend.on('*', status(500));
    for (let i = 0; i < 3; i++) await outcome(getPerson(client(), `p${i}`));
    expect(upstream.breaker.stateOf('route_key')).toBe('open');

    const whileOpen = await failureOf(immediate(speculate(client())));
    clock.pass(5_001);
    const whileHalfOpen = await failureOf(immediate(speculate(client())));
    backend.on('*', ok(personAsked));
    const probe = await getPerson(client(), 'probe');

    expect([whileOpen, whileHalfOpen]).toEqual(['circuit_open', 'circuit_open']);
    expect(backend.hits(hit('p'))).toBe(0);
    expect(probe).toMatchObject({ personId: 'probe' });
    expect(upstream.breaker.stateOf('route_key')).toBe('closed');
  });

  it('is not started while a circuit of another route of its key is not closed, unlike a requested read', async () => {
    const clock = new FakeClock();
    const { backend, client, upstream } = await openRest({ clock, breaker: { volume: 3 } });
    backend.on('*', status(500));
    for (let i = 0; i < 3; i++) {
      await outcome(client().call(routes.getTopic, { path: { topic_id: `t${i}` } }));
    }
    backend.on('*', ok(personAsked));
    expect(upstream.breaker.stateOf('route_key')).toBe('open');

    const whileOpen = await failureOf(immediate(speculate(client())));
    clock.pass(5_001);
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
    const whileHalfOpen = await failureOf(immediate(speculate(client())));
    const asked = await getPerson(client(), 'asked');
    const ofAnotherKey = await speculate(client({ apiKey: 'key-b' }), 'other');

    expect([whileOpen, whileHalfOpen]).toEqual(['circuit_open', 'circuit_open']);
    expect(backend.hits(hit('p'))).toBe(0);
    expect(asked).toMatchObject({ personId: 'asked' });
    expect(ofAnotherKey).toMatchObject({ personId: 'other' });
    expect(upstream.breaker.stateOf('route_key')).toBe('half-open');
  });

  it('is not started while the circuit of the host is not closed, whatever its key', async () => {
    const breaker = { volume: 3, outageMs: 0 };
    const { client, upstream } = await openRest({
      url: NOWHERE,
      clock: new FakeClock(),
      breaker,
    });
    const write = () => client().call(routes.updateTopic, { path: { topic_id: 't' }, body: {} });
    for (let i = 0; i < 3; i++) await outcome(write());
    expect(upstream.breaker.stateOf('host')).toBe('open');

    const begun = speculate(client({ apiKey: 'key-b' }));

    expect(await failureOf(begun)).toBe('circuit_open');
  });

  it('has one attempt, and does not use the retry budget', async () => {
    const { backend, client } = await openRest();
    backend.on(hit('p'), status(503));

    const begun = speculate(client());

    expect(await outcome(begun)).toMatchObject({ kind: 'status', status: 503 });
    expect(backend.hits()).toBe(1);
  });

  it('is not shared with another request', async () => {
    const { backend, client } = await openRest();
    const first = held(ok(person('p', 'Before')));
    const second = held(ok(person('p', 'Between')));
    backend.on(hit('p'), first.behaviour, second.behaviour, ok(person('p', 'After')));

    const asked = getPerson(client());
    await until(() => backend.hits() === 1);
    const begun = speculate(client());
    await until(() => backend.hits() === 2);
    first.release();
    expect(await asked).toMatchObject({ name: 'Before' });
    const later = await getPerson(client());
    second.release();

    expect(later).toMatchObject({ name: 'After' });
    expect(await begun).toMatchObject({ name: 'Between' });
  });
});
