/** Memory of screens that were prefetched, before a full collection of V8. */
import { expect, it } from 'vitest';
import { retainedBytes } from '../../support/retained-bytes.ts';

it('a prefetched query among ten others leaves less than 7,500 bytes in the old generation', async () => {
  const bytes = await retainedBytes('memory-of-runs.ts', import.meta.url);

  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(7_500);
});
