/** Memory of requests that have ended, before a full collection of V8. */
import { expect, it } from 'vitest';
import { retainedBytes } from '../support/retained-bytes.ts';

it.each([
  { program: 'memory-of-exchanges.ts', what: 'an HTTP exchange', most: 250 },
  { program: 'memory-of-permits.ts', what: 'the permit of an operation', most: 10 },
])('$what leaves less than $most bytes in the old generation', async ({ program, most }) => {
  const bytes = await retainedBytes(program, import.meta.url);

  expect(bytes).toBeLessThan(most);
});
