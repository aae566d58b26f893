/** How often something is looked at, by how often it comes again. */
import { expect, it } from 'vitest';
import { Habit } from '../../src/lib/habit.ts';

/** The share that is looked at of the last thousand, where one in so many comes again. */
function lookedAt(habit: Habit, oneIn: number): number {
  let looks = 0;
  for (let i = 1; i <= 2_000; i++) {
    if (!habit.isLookedAt()) continue;
    if (i > 1_000) looks += 1;
    habit.noteRepetition(i % oneIn === 0);
  }
  return looks / 1_000;
}

it.each([
  { oneIn: Infinity, share: 1 / 16 },
  { oneIn: 15, share: 1 / 16 },
  { oneIn: 2, share: 1 },
  { oneIn: 1, share: 1 },
])('looks at $share of what comes again once in $oneIn times', ({ oneIn, share }) => {
  expect(lookedAt(new Habit(), oneIn)).toBeCloseTo(share, 1);
});

it('looks at all again soon after what never came again always does', () => {
  const habit = new Habit();
  lookedAt(habit, Infinity);

  expect(lookedAt(habit, 1)).toBe(1);
});
