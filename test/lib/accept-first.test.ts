/** What large work leaves to connections that wait to be accepted, and to their first requests. */
import { expect, it } from 'vitest';
import {
  AcceptFirst,
  countAccepted,
  countAcceptedAndBegun,
  noteAccepted,
  noteBegun,
} from '../../src/lib/turns/accept-first.ts';

it('leaves the turn after a connection was accepted, and no other', () => {
  const [one, other] = [new AcceptFirst(countAccepted), new AcceptFirst(countAccepted)];

  const before = one.leaves(0);
  noteAccepted();
  const after = [one.leaves(1), one.leaves(2), other.leaves(2), other.leaves(3)];

  expect(before).toBe(false);
  expect(after).toEqual([true, false, true, false]);
});

it('takes its turn while connections are accepted without end', () => {
  const work = new AcceptFirst(countAccepted);
  const turns: boolean[] = [];

  for (let nowMs = 0; nowMs < 10; nowMs++) {
    noteAccepted();
    turns.push(work.leaves(nowMs));
  }

  // Put off for four milliseconds at a time.
  expect(turns).toEqual([true, true, true, true, false, true, true, true, true, false]);
});

it('leaves turns to first requests where it is to, and to connections alone elsewhere', () => {
  const [requests, large] = [
    new AcceptFirst(countAccepted),
    new AcceptFirst(countAcceptedAndBegun),
  ];

  noteBegun();

  expect([requests.leaves(0), large.leaves(0)]).toEqual([false, true]);
});
