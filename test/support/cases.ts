/**
 * How many random cases a test tries: few in every run of the suite, and as many as wanted by hand:
 * `CASES=20 npx vitest run test/graph/random-queries.test.ts` tries twenty times as many.
 */
const FACTOR = Number(process.env['CASES'] ?? 1);

export const cases = (count: number): number => Math.ceil(count * FACTOR);
