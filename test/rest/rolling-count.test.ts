import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RollingCount } from '../../src/rest/resilience/rolling-count.ts';

it('counts all of the last span and nothing older than two', () => {
  const moments = fc.array(fc.nat({ max: 2_000 }), { minLength: 1, maxLength: 50 });

  fc.assert(
    fc.property(moments, fc.nat({ max: 500 }), (atMs, laterMs) => {
      const count = new RollingCount(100);
      const sorted = atMs.toSorted((a, b) => a - b);
      for (const ms of sorted) count.add(ms);
      const nowMs = sorted.at(-1)! + laterMs;

      const counted = count.at(nowMs);

      expect(counted).toBeGreaterThanOrEqual(sorted.filter((ms) => ms > nowMs - 100).length);
      expect(counted).toBeLessThanOrEqual(sorted.filter((ms) => ms > nowMs - 200).length);
    }),
  );
});

it('gives the rate per millisecond, but not of too short a time', () => {
  const count = new RollingCount(100);
  for (let ms = 1_000; ms < 1_005; ms++) count.add(ms);
  expect(count.perMs(1_005)).toBe(0);
  for (let ms = 1_005; ms < 1_150; ms++) count.add(ms);

  expect(count.perMs(1_150)).toBeCloseTo(1, 1);
  count.reset();
  expect(count.at(1_150)).toBe(0);
});
