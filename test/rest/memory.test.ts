/** Memory of calls that have ended, before a full collection of V8. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('an ended request of twenty calls leaves less than 15,000 bytes in the old generation', async () => {
  const program = fileURLToPath(new URL('memory-of-requests.ts', import.meta.url));

  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);

  expect(Number(stdout)).toBeLessThan(15_000);
});
