/** Memory of calls that have ended, before a full collection of V8. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it.each([
  { others: 0, most: 8_000 },
  { others: 1, most: 12_000 },
  { others: 10, most: 14_000 },
])(
  'an ended request of twenty calls beside $others others leaves less than $most bytes in the old generation',
  async ({ others, most }) => {
    const program = fileURLToPath(new URL('memory-of-requests.ts', import.meta.url));
    const args = ['--import', 'tsx', program, String(others)];

    const { stdout } = await promisify(execFile)(process.execPath, args);

    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(most);
  },
);
