/**
 * Answers that are, byte for byte, what they were before are not decoded again.
 *
 * The call is made all the same, so nothing is ever stale: what is saved is parsing and checking the
 * same text once more, and the memory of another copy. Answers are found by path alone, whatever the
 * key. That leaks nothing: only a caller whose own answer has the same bytes gets the kept value.
 */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { decode } from './decode.ts';
import { freeze } from '../../lib/freeze.ts';
import { isRead, type Answer, type Decoded, type Outgoing } from '../client/send.ts';

/** What all that is remembered may take, in bytes as estimated. */
const MAX_SIZE = 16 * 1024 * 1024;

/** How many answers the largest that is kept would leave room for. */
const LEAST_KEPT = 8;

/** The text of an answer and, about three times as large, what it was decoded to. */
const SIZE_OF_BYTE = 4;

/** What is known of an answer that is not kept. */
const SIZE_OF_MEMORY = 256;

/** The last answer of a path. */
interface Memory {
  readonly sum: number;
  /** Absent until the same bytes have come twice: most of what is asked once is never asked again. */
  readonly kept?: Kept;
}

interface Kept {
  readonly body: Buffer;
  readonly type: string | string[] | undefined;
  readonly decoded: Decoded;
}

export class Unchanged {
  readonly #memories: LRUCache<string, Memory>;

  constructor(maxSize = MAX_SIZE) {
    this.#memories = new LRUCache({
      maxSize,
      maxEntrySize: maxSize / LEAST_KEPT,
      sizeCalculation: ({ kept }, path) =>
        SIZE_OF_MEMORY + path.length + SIZE_OF_BYTE * (kept?.body.length ?? 0),
    });
  }

  /**
   * As `decode`. Frozen from the second use on.
   *
   * @throws as `decode`.
   */
  decode(outgoing: Outgoing, answer: Answer): Decoded {
    const { route, path } = outgoing;
    if (!isRead(outgoing)) return decode(route, answer);
    const memory = this.#memories.get(path);
    if (memory?.kept && isSame(memory.kept, answer)) {
      const { decoded } = memory.kept;
      freeze(decoded.value as object);
      return decoded;
    }
    const decoded = decode(route, answer);
    if (mayBeKept(decoded, answer)) this.#remember(path, memory, answer, decoded);
    return decoded;
  }

  #remember(path: string, before: Memory | undefined, answer: Answer, decoded: Decoded): void {
    const { body, headers } = answer;
    const sum = crc32(body);
    this.#memories.set(
      path,
      before?.sum === sum
        ? // A copy, since the answer's own bytes hold all that was read along with them.
          { sum, kept: { body: Buffer.from(body), type: headers['content-type'], decoded } }
        : { sum },
    );
  }
}

const isSame = ({ body, type, decoded }: Kept, answer: Answer): boolean =>
  body.equals(answer.body) &&
  decoded.status === answer.status &&
  type === answer.headers['content-type'];

/** An error in a field's place tells of the exchange it came from, so it is made anew each time. */
const mayBeKept = ({ sound }: Decoded, { headers }: Answer): boolean =>
  sound && !/\bno-store\b/i.test(String(headers['cache-control'] ?? ''));
