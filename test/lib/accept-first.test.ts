/** What large work leaves to connections that wait to be accepted. */
import { expect, it } from 'vitest';
import { AcceptFirst, noteAccepted } from '../../src/lib/turns/accept-first.ts';

it('leaves the turn after a connection was accepted, and no other', () => {
  const [one, other] = [new AcceptFirst(), new AcceptFirst()];

  const before = one.leaves(0);
  noteAccepted();
  const after = [one.leaves(1), one.leaves(2), other.leaves(2), other.leaves(3)];

  expect(before).toBe(false);
  expect(after).toEqual([true, false, true, false]);
});

it('takes its turn while connections are accepted without end', () => {
  const work = new AcceptFirst();
  const turns: boolean[] = [];

  for (let nowMs = 0; nowMs < 10; nowMs++) {
    noteAccepted();
    turns.push(work.leaves(nowMs));
  }

  // Put off for four milliseconds at a time.
  expect(turns).toEqual([true, true, true, true, false, true, true, true, true, false]);
});
