/** Whose core it is when there is one: real processes, pinned by `taskset` of Linux. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';

const HELPERS = new URL('../../src/server/process/helper-threads.ts', import.meta.url).href;

const SCRIPT = `
  import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { yieldToMainThread } from '${HELPERS}';
  const before = readdirSync('/proc/self/task').map(Number);
  yieldToMainThread();
  const own = getPriority(process.pid);
  const helpers = before.filter((thread) => thread !== process.pid).map((thread) => getPriority(thread));
  console.log(JSON.stringify({ own, helpers }));`;

const NODE = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', SCRIPT];

function prioritiesOn(cores: string): { own: number; helpers: number[] } {
  const { stdout } = spawnSync('taskset', ['-c', cores, ...NODE], { encoding: 'utf8' });
  return JSON.parse(stdout) as { own: number; helpers: number[] };
}

const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

it.skipIf(!canPin)('gives helper threads a low priority on a single core', () => {
  const { own, helpers } = prioritiesOn('0');

  expect(helpers.length).toBeGreaterThan(0);
  expect(helpers.map((priority) => priority - own)).toEqual(helpers.map(() => 10 - own));
  expect(own).toBeLessThan(10);
});

it.skipIf(!canPin || availableParallelism() < 2)('leaves them alone where there are more', () => {
  const { own, helpers } = prioritiesOn('0,1');

  expect(helpers).toEqual(helpers.map(() => own));
});
