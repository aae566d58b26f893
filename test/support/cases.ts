/**
 * How many random cases a test tries: few in every run of the suite, and as many as wanted by hand:
 * `CASES=20 npx vitest run test/graph/random-queries.test.ts` tries twenty times as many. Tests that name the seed of a
 * failure begin at `SEED`: `SEED=7 CASES=0.01` runs the seventh of a hundred again.
 */
const FACTOR = Number(process.env['CASES'] ?? 1);
const FIRST = Number(process.env['SEED'] ?? 0);

export const cases = (count: number): number => Math.ceil(count * FACTOR);

/** Seeds of so many cases. */
export const seeds = (count: number): readonly number[] =>
  Array.from({ length: cases(count) }, (_, i) => FIRST + i);
