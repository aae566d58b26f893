/** Monotonic ids and timestamps of new rows. */
import { randomBytes } from 'node:crypto';

/**
 * A monotonic clock in epoch milliseconds: lists are ordered by age, so a corrected system clock must not put new rows
 * before a cursor.
 */
export function createClock(): () => number {
  let last = 0;
  return () => (last = Math.max(last, Date.now()));
}

/** Ids per millisecond; further ids use the next one. */
const COUNT_PER_MS = 1_000;

let last = 0;

/**
 * An id such as `page_mfz2k1x8q000a3f9c`: time, counter and random characters. Ids are monotonic, so rows of one
 * millisecond keep their order.
 */
export function newId(prefix: string): string {
  last = Math.max(last + 1, Date.now() * COUNT_PER_MS);
  return `${prefix}_${last.toString(36).padStart(11, '0')}${randomBytes(3).toString('hex')}`;
}
