/**
 * Ordinary load that queues: many keys at once, each with a page of calls.
 */
import { expect, it } from 'vitest';
import { routes } from '../../src/v0/routes.ts';
import { ok } from '../support/faults.ts';
import { openRest, outcome, person } from './open-rest.ts';

it('sheds nothing that a quick backend clears in time, however many keys take turns', async () => {
  const { backend, client, told } = await openRest();
  backend.on('*', ok(person('p')));
  const ask = (apiKey: string, id: string) =>
    outcome(client({ apiKey }).call(routes.getPerson, { path: { person_id: id } }));

  // A process that has answered before: the very first calls are slow by our own doing.
  for (let i = 0; i < 30; i++) {
    await Promise.all(Array.from({ length: 32 }, (_, key) => ask(`key${key}`, `warm${i}`)));
  }

  const answers = await Promise.all(
    Array.from({ length: 32 }, async (_, key) => {
      await ask(`key${key}`, 'first');
      return Promise.all(Array.from({ length: 100 }, (_, i) => ask(`key${key}`, `p${i}`)));
    }),
  );

  expect(answers.flat().filter((answer) => answer instanceof Error)).toEqual([]);
  expect(told).not.toContain('shed');
});
