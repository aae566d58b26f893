/**
 * T64, T66: floods and invented keys cost their caller and no other.
 */
import { expect, it } from 'vitest';
import { hasKind } from '../../src/rest/call/errors.ts';
import { routes } from '../../src/v0/routes.ts';
import { openRest, outcome, person } from '../rest/open-rest.ts';
import { countCalls } from '../support/count-calls.ts';
import { held, ok, silence, status } from '../support/faults.ts';
import { KEY } from '../support/gateway-process.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { openTestbed } from './testbed.ts';

let asked = 0;
/** A query that shares its calls with no other. */
const next = (): string => `{ person(personId: "p${asked++}") { name } }`;

it('T66 serves a valid API key ahead of a flood of invented keys', async () => {
  // No call times out.
  const testbed = await openTestbed({ UPSTREAM_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '61000' });
  const callers = openCallers(testbed.gateway);
  const refusal = held(status(401));
  testbed.upstream.on('*', (response, seen, socket) =>
    (seen.headers['x-api-key'] === KEY ? world() : refusal.behaviour)(response, seen, socket),
  );
  const ask = async () =>
    expect((await callers.ask(next())).body).toEqual({ data: { person: { name: 'name' } } });
  await ask(); // the backend accepts the key
  let refused = 0;

  // More than there are connections, each with its own key.
  const flood = Array.from({ length: 200 }, async (_, i) => {
    const { body } = await callers.ask(next(), { apiKey: `invented-${i}` });
    expect(body.data?.person ?? null).toBeNull();
    refused += 1;
  });
  await testbed.underWay(200);
  for (let i = 0; i < 50; i++) await ask();

  // No invented key has got a response, so no read waited for one.
  expect(refused).toBe(0);
  refusal.release();
  await Promise.all(flood);
});

it('T64 rejects a call to a full queue with fewer than 200 function calls and a shared error', async () => {
  const clock = new FakeClock();
  const { backend, client, told } = await openRest({ clock, timeoutMs: 2_000 });
  backend.on('*', ok(person('p')), silence());
  const getPerson = (i: number) =>
    outcome(
      client({ apiKey: 'busy', maxCalls: 1 }).call(routes.getPerson, {
        path: { person_id: `p${i}` },
      }),
    );
  await getPerson(0); // the backend accepts the key
  const waiting = Array.from({ length: 5_000 }, (_, i) => getPerson(1 + i));
  await until(() => backend.hits() > 1);

  const calls = await countCalls(async () => {
    const refused = await Promise.all(
      Array.from({ length: 2_000 }, (_, i) => getPerson(10_000 + i)),
    );
    expect(refused.every((one) => hasKind(one, 'overloaded'))).toBe(true);
    expect(new Set(refused).size).toBe(1);
  });
  expect(calls / 2_000).toBeLessThan(200);

  expect(told.filter((name) => name === 'shed').length).toBeGreaterThanOrEqual(2_000);
  clock.pass(20_000);
  await Promise.all(waiting);
});
