/**
 * Ordinary load that queues: several keys at once, each with more calls than connections.
 */
import { expect, it } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { ok } from '../support/faults.ts';
import { afterOn, FakeClock } from '../support/fake-clock.ts';
import { openRest, outcome, personAsked } from './open-rest.ts';

it('sheds none of 96 calls when four keys are served round-robin and finish in time', async () => {
  // 4 keys with 24 calls of 200 ms share 8 connections: the last one ends after 2.4 s.
  const clock = new FakeClock();
  clock.tick(20);
  const { backend, client, told } = await openRest({ clock, connections: 8, timeoutMs: 4_800 });
  backend.on('*', afterOn(clock, 200, ok(personAsked)));
  const ask = (key: number, id: number) =>
    outcome(
      client({ apiKey: `key${key}` }).call(routes.getPerson, { path: { person_id: `p${id}` } }),
    );
  await ask(0, 1_000);

  const answers = await Promise.all(
    Array.from({ length: 4 * 24 }, (_, i) => ask(Math.floor(i / 24), i)),
  );

  expect(answers.filter((answer) => answer instanceof Error)).toEqual([]);
  expect(told).not.toContain('shed');
});
