/**
 * T64, T66: what one caller sends too much of, or invents, costs that caller and no other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { hasKind } from '../../src/rest/call/errors.ts';
import { routes } from '../../src/v0/routes.ts';
import { openRest, outcome, person } from '../rest/open-rest.ts';
import { after, ok, silence, status } from '../support/faults.ts';
import { KEY } from '../support/gateway-process.ts';
import { world } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { expectBelow, expectWithin, openStand, percentile } from './stand.ts';

let asked = 0;
/** A query that no other is shared with. */
const next = (): string => `{ person(personId: "p${asked++}") { name } }`;

it('T66 slows no caller whose key is accepted while others invent keys without end', async () => {
  // Another gateway, asked at the same time and as often by keys that it knows, and which need no
  // connection: what so many requests cost this machine delays callers of both alike.
  const stands = [await openStand({}), await openStand({})];
  const callers = stands.map(({ gateway }) => openCallers(gateway));
  onTestFinished(async () => {
    await Promise.all([...callers, ...stands].map((one) => one.close()));
  });
  for (const { upstream } of stands) {
    upstream.on('*', (response, seen, socket) =>
      (seen.headers['x-api-key'] === KEY ? after(10, world()) : after(700, status(401)))(
        response,
        seen,
        socket,
      ),
    );
  }
  let invented = 0;
  let silenced = (): void => {};
  const end = new Promise<void>((resolve) => (silenced = resolve));
  const median = async (from: (typeof callers)[number]): Promise<number> => {
    const times: number[] = [];
    await from.loop(2, 1_000, async () => {
      const { body, tookMs } = await from.ask(next());
      expect(body).toEqual({ data: { person: { name: 'name' } } });
      times.push(tookMs);
    });
    return percentile(times, 0.5);
  };
  await Promise.all(callers.map(median));

  // More than there are connections, each with a key of its own every time.
  const flood = callers[0]!.loop(200, end, async () => {
    const { body } = await callers[0]!.ask(next(), { apiKey: `invented-${invented++}` });
    expect(body.data?.person ?? null).toBeNull();
  });
  const calm = callers[1]!.loop(100, end, async () => {
    const { body } = await callers[1]!.ask(next(), { apiKey: `invented-${invented++}` });
    expect(body.data?.person ?? null).toBeNull();
  });
  try {
    await sleep(500);
    await expectBelow(2, async () => {
      const [during, beside] = await Promise.all(callers.map(median));
      return during! / Math.max(beside!, 20);
    });
  } finally {
    silenced();
    await Promise.all([flood, calm]);
  }
});

it('T64 refuses what a full queue cannot take for next to nothing, with one error', async () => {
  const { backend, client, told } = await openRest({ timeoutMs: 2_000 });
  backend.on('*', ok(person('p')), silence());
  const getPerson = (i: number) =>
    outcome(
      client({ apiKey: 'busy', maxCalls: 1 }).call(routes.getPerson, {
        path: { person_id: `p${i}` },
      }),
    );
  await getPerson(0); // the backend accepts the key
  const waiting = Array.from({ length: 5_000 }, (_, i) => getPerson(1 + i));
  await sleep(50);

  // By the process's own CPU time, which other processes of this machine do not use.
  await expectWithin(150, async () => {
    const before = process.cpuUsage();
    const refused = await Promise.all(
      Array.from({ length: 2_000 }, (_, i) => getPerson(10_000 + i)),
    );
    const { user, system } = process.cpuUsage(before);
    expect(refused.every((one) => hasKind(one, 'overloaded'))).toBe(true);
    expect(new Set(refused).size).toBe(1);
    return (user + system) / refused.length; // µs a call
  });

  expect(told.filter((name) => name === 'shed').length).toBeGreaterThanOrEqual(2_000);
  await Promise.all(waiting);
});
