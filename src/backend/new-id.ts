/**
 * Ids of new rows: a word for the resource, then the time, a counter and chance.
 *
 * They grow with time, so rows of the same millisecond keep the order they were made in.
 */
import { randomBytes } from 'node:crypto';

/** Ids of one millisecond; more than these borrow from the next. */
const COUNT_PER_MS = 1_000;

let last = 0;

/** An id such as `page_mfz2k1x8q000a3f9c`, unique and greater than every one before it. */
export function newId(prefix: string): string {
  last = Math.max(last + 1, Date.now() * COUNT_PER_MS);
  return `${prefix}_${last.toString(36).padStart(11, '0')}${randomBytes(3).toString('hex')}`;
}
