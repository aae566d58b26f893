/** Memory of calls that have ended, before a full collection of V8. */
import { expect, it } from 'vitest';
import { retainedBytes } from '../support/retained-bytes.ts';

it.each([
  { others: 0, most: 8_000 },
  { others: 1, most: 10_000 },
  { others: 10, most: 13_000 },
])(
  'a completed request of twenty calls next to $others others leaves less than $most bytes in the old generation',
  async ({ others, most }) => {
    const bytes = await retainedBytes('memory-of-requests.ts', import.meta.url, String(others));

    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(most);
  },
);
