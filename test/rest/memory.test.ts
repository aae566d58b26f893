/** Memory of calls that have ended, before a full collection of V8. */
import { expect, it } from 'vitest';
import { retainedBytes } from '../support/retained-bytes.ts';

it.each([
  { others: 0, keys: 1, calls: 20, most: 8_000 },
  { others: 1, keys: 1, calls: 20, most: 10_000 },
  { others: 10, keys: 1, calls: 20, most: 13_000 },
  { others: 10, keys: 20, calls: 20, most: 6_000 },
  { others: 10, keys: 60, calls: 1, most: 150 },
])(
  'a completed request of $calls calls next to $others others of $keys keys leaves less than $most bytes in the old generation',
  async ({ others, keys, calls, most }) => {
    const given = [others, keys, calls].map(String);
    const bytes = await retainedBytes('memory-of-requests.ts', import.meta.url, ...given);

    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(most);
  },
);
