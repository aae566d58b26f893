/** Which large work goes on next: tasks take staged time, turns of the event loop are real. */
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { Turns } from '../../src/lib/turns/turns.ts';
import { stageTime } from '../support/staged-time.ts';

let time: ReturnType<typeof stageTime>;
let ran: string[];

beforeEach(async () => {
  // The slice of the test before ends by its own time.
  await turn();
  await turn();
  time = stageTime();
  ran = [];
});

/** Work of so many tasks of a millisecond each, one after the other. */
async function work(name: string, tasks: number, key = ''): Promise<void> {
  const turns = new Turns(undefined, key);
  for (let i = 0; i < tasks; i++) {
    await turns.run(() => {
      time.nowMs += 1;
      ran.push(name);
    });
  }
}

const numberOf = (name: string): number => ran.filter((one) => one === name).length;

it('lets what has used little go before what has used much', async () => {
  const large = work('large', 60);
  while (numberOf('large') < 30) await turn();

  await work('small', 3);

  expect(numberOf('large')).toBeLessThan(60);
  await large;
});

it('ends what came first before it goes far with others that are alike', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const ends: string[] = [];

  await Promise.all(names.map((name) => work(name, 6).then(() => ends.push(name))));

  // None is held back until all are nearly done.
  expect(ends.slice(0, 5).toSorted()).toEqual(names.slice(0, 5).toSorted());
});

it('has few pieces of one key half done at a time', async () => {
  const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
  let halfDone = 0;

  await Promise.all(
    names.map((name) =>
      work(name, 20).then(() => {
        const counts = names.map(numberOf);
        halfDone = Math.max(halfDone, counts.filter((count) => count > 1 && count < 20).length);
      }),
    ),
  );

  expect(halfDone).toBeLessThan(8);
});

it('shares its time evenly between keys, however much work one of them has', async () => {
  const many = Array.from({ length: 50 }, () => work('many', 20, 'one key'));
  while (numberOf('many') < 100) await turn();

  await work('alone', 20, 'another key');

  expect(numberOf('many')).toBeLessThan(200);
  await Promise.all(many);
});

it('gives each turn of the event loop a slice of few tasks', async () => {
  let most = 0;
  let before = 0;
  const watch = (): void => {
    most = Math.max(most, ran.length - before);
    before = ran.length;
    if (ran.length < 100) setImmediate(watch);
  };
  setImmediate(watch);

  await Promise.all(Array.from({ length: 100 }, (_, i) => work(`n${i}`, 1)));

  expect(most).toBeLessThanOrEqual(10);
});

it('hands on what a task throws', async () => {
  const busy = work('busy', 20);
  time.nowMs += 10; // so that it waits

  const failed = new Turns().run(() => {
    throw new TypeError('mine');
  });

  await expect(failed).rejects.toThrow('mine');
  await busy;
});
