/**
 * The decode cache: an answer with the same bytes as the last one of its path is not decoded again.
 *
 * The call is made all the same, so nothing is ever stale; parsing, checking and another copy in memory
 * are saved. Entries are found by path, whatever the key. That leaks nothing: only a caller whose own
 * answer has the same bytes gets the kept value.
 */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { freeze } from './freeze.ts';
import { Habit } from '../../lib/habit.ts';
import { isRead, type Answer, type Call, type Decoded, type Layer } from '../client/call.ts';
import type { RouteLabel } from '../client/errors.ts';
import { decode } from './decode.ts';

/** The most memory that all kept answers may take, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The share of it that one answer may take. */
const LARGEST_PART = 1 / 8;

/** Memory of an entry itself, in bytes. */
const ENTRY_BYTES = 256;

/** The last answer of a path. */
interface Entry {
  readonly sum: number;
  /** Absent until the same bytes have come twice: most answers never come again. */
  readonly kept?: Kept;
}

interface Kept {
  readonly body: Buffer;
  readonly type: string | string[] | undefined;
  readonly decoded: Decoded;
}

export class DecodeCache {
  readonly #entries: LRUCache<string, Entry>;
  /** How often answers of a route come again: a checksum of each costs more than it can save. */
  readonly #habits = new WeakMap<RouteLabel, Habit>();

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: ({ kept }, path) => ENTRY_BYTES + path.length + (kept ? bytesOf(kept) : 0),
    });
  }

  readonly layer: Layer<Decoded> = (inner) => (settle) =>
    inner((attempt, outcome) => {
      let decoded: Decoded | Error;
      try {
        decoded = outcome instanceof Error ? outcome : this.decode(attempt.call, outcome);
      } catch (error) {
        decoded = error as Error;
      }
      settle(attempt, decoded);
    });

  /**
   * As `decode`. What is kept is frozen before it is given to a second caller.
   *
   * @throws as `decode`.
   */
  decode(call: Call, answer: Answer): Decoded {
    const { path, route } = call;
    let habit = this.#habits.get(route);
    if (!habit) this.#habits.set(route, (habit = new Habit()));
    if (!isRead(call) || !habit.isLookedAt()) return decode(call, answer);
    const entry = this.#entries.get(path);
    if (entry?.kept && isSame(entry.kept, answer)) {
      habit.noteRepetition(true);
      const { decoded } = entry.kept;
      freeze(decoded.value as object);
      return decoded;
    }
    const decoded = decode(call, answer);
    if (!mayBeKept(decoded, answer)) return decoded;
    const { body, headers } = answer;
    const sum = crc32(body);
    const isRepetition = entry?.sum === sum;
    habit.noteRepetition(isRepetition);
    const type = headers['content-type'];
    const entryNow = isRepetition ? { sum, kept: { body: copyOf(body), type, decoded } } : { sum };
    this.#entries.set(path, entryNow);
    return decoded;
  }
}

/**
 * The answer's own bytes hold all that was read along with them, and a copy in Node's buffer pool would
 * hold its slab: 64 kB since Node 24.
 */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

const isSame = ({ body, type, decoded }: Kept, answer: Answer): boolean =>
  body.equals(answer.body) &&
  decoded.status === answer.status &&
  type === answer.headers['content-type'];

/** Not with errors in place of fields: they name the exchange they came from. */
const mayBeKept = ({ sound }: Decoded, { headers }: Answer): boolean =>
  sound && !/\bno-store\b/i.test(String(headers['cache-control'] ?? ''));

/**
 * The most memory that V8 needs for the parts of a value, in bytes: `{}` is 3 bytes of text and 64 of
 * memory. Measured with Node 20 to 26 for lists of empty objects, of objects with different fields, of
 * fractions and of short texts. A property may give its object a hidden class of its own.
 */
const BYTES = { object: 64, property: 168, array: 48, item: 8, text: 40, character: 2, number: 16 };

/** The most memory of a kept answer: its text and its decoded value. */
function bytesOf({ body, decoded }: Kept): number {
  let bytes = body.length;
  const open: unknown[] = [decoded.value];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += BYTES.text + BYTES.character * value.length;
    else if (typeof value === 'number') bytes += BYTES.number;
    else if (Array.isArray(value)) {
      bytes += BYTES.array + BYTES.item * value.length;
      for (const item of value) open.push(item);
    } else if (typeof value === 'object' && value !== null) {
      bytes += BYTES.object;
      for (const name in value) {
        bytes += BYTES.property + BYTES.character * name.length;
        open.push((value as Record<string, unknown>)[name]);
      }
    }
  }
  return bytes;
}
