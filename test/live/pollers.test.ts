/** When an object that is watched is read. */
import { expect, it } from 'vitest';
import type { LiveObject } from '../../src/live/live-object.ts';
import { Pollers } from '../../src/live/pollers.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { StagedClock } from '../support/staged-time.ts';

const POLL_MS = { least: 500, most: 5_000 };
const IDENTITY = { apiKey: 'key', forwarded: [] };

it('is soon after a write, also after one that ends while a poll is under way', async () => {
  const clock = new StagedClock();
  const answers: ((state: object) => void)[] = [];
  const page: LiveObject<object, object> = {
    source: {
      read: () => new Promise((resolve) => answers.push(resolve)),
      rankOf: () => 0,
      isFinal: () => false,
      changedAt: () => undefined,
    },
    key: {},
    id: 'page',
  };
  const upstream = Object.assign(() => ({}) as RestClient, { isAccepted: () => true });
  const pollers = new Pollers({ upstream, clock, pollMs: POLL_MS, timeoutMs: 10_000 } as never);
  const watcher = pollers.watch(IDENTITY, page);
  const first = watcher.next();
  // Nothing changes until polls are as rare as they get.
  while ((clock.waits[0] ?? 0) < 0.8 * POLL_MS.most) {
    clock.pass(POLL_MS.most);
    await turns();
    answers.at(-1)!({ name: 'before' });
    await turns();
  }
  await first;
  clock.pass(POLL_MS.most);
  const polls = answers.length;

  pollers.hurry(IDENTITY, page);
  answers.at(-1)!({ name: 'before' });
  await turns();
  clock.pass(POLL_MS.least);
  await turns();

  expect(answers).toHaveLength(polls + 1);
  await watcher.return();
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
