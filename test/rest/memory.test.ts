/** Memory of calls that have ended, before a full collection of V8. */
import { expect, it } from 'vitest';
import { retainedBytes } from '../support/retained-bytes.ts';

it.each([
  { others: 0, keys: 1, calls: 20, requests: 300, most: 8_000 },
  { others: 1, keys: 1, calls: 20, requests: 300, most: 10_000 },
  { others: 10, keys: 1, calls: 20, requests: 300, most: 13_000 },
  { others: 10, keys: 20, calls: 20, requests: 300, most: 6_000 },
  { others: 10, keys: 60, calls: 1, requests: 30_000, most: 100 },
])(
  'a completed request leaves less than $most bytes in the old generation (calls: $calls, others in flight: $others, keys: $keys)',
  async ({ others, keys, calls, requests, most }) => {
    const given = [others, keys, calls, requests].map(String);
    const bytes = await retainedBytes('memory-of-requests.ts', import.meta.url, ...given);

    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(most);
  },
);
