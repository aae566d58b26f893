/** What is left of calls that have ended, before V8 collects all of its memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('a request that has ended does not stay in memory until all of it is collected', async () => {
  const program = fileURLToPath(new URL('memory-of-requests.ts', import.meta.url));

  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);

  expect(Number(stdout)).toBeLessThan(15_000);
});
