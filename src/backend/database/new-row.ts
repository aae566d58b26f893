/** Ids and moments of new rows, both of which only grow. */
import { randomBytes } from 'node:crypto';

/**
 * A clock that never runs backwards, in epoch milliseconds: lists are ordered by age, and a
 * corrected system clock must not put a new row behind a cursor.
 */
export function createClock(): () => number {
  let last = 0;
  return () => (last = Math.max(last, Date.now()));
}

/** Ids of one millisecond; more than these borrow from the next. */
const COUNT_PER_MS = 1_000;

let last = 0;

/**
 * An id such as `page_mfz2k1x8q000a3f9c`: time, a counter and random characters. Greater than every one
 * before it, so rows of the same millisecond keep the order they were made in.
 */
export function newId(prefix: string): string {
  last = Math.max(last + 1, Date.now() * COUNT_PER_MS);
  return `${prefix}_${last.toString(36).padStart(11, '0')}${randomBytes(3).toString('hex')}`;
}
