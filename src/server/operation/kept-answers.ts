/**
 * Kept answers: where all REST answers are what they were, byte for byte, so is ours.
 *
 * Every read is made all the same, so nothing is ever stale; execution and writing are saved. An answer
 * is kept for one key, document and set of variables. Requests that never come again must not pay for
 * it, so documents that are not repeated are looked at less often.
 */
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../execution/execution.ts';
import { Habit } from '../../lib/habit.ts';
import type { Turns } from '../../lib/turns/turns.ts';
import type { RestClient } from '../../rest/client/client.ts';
import type { Recording } from '../../rest/client/recording.ts';
import type { KnownDocument } from '../documents/documents.ts';
import type { OperationParams } from '../documents/params.ts';
import { Content, replyOf, type Executed } from '../reply/reply.ts';

/** The share of the memory that one answer may take. */
const LARGEST_PART = 1 / 8;

/** The most memory of a request, of a read and of a character, in bytes. */
const BYTES = { request: 512, read: 512, character: 2 };

/** For how many requests an answer that keeps changing is left alone, at most. */
const MAX_PAUSE = 64;

interface AskedOperation {
  readonly known: KnownDocument;
  readonly params: OperationParams;
  /** What the backend is called with. */
  readonly apiKey: string | undefined;
}

export class KeptAnswers {
  readonly #habits = new WeakMap<KnownDocument, DocumentHabit>();
  readonly #requests: LRUCache<string, RepeatedRequest>;

  /** @param maxBytes the most memory that all of it may take. */
  constructor(maxBytes: number) {
    this.#requests = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes * LARGEST_PART,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /** A request that has come before; undefined for others, and where it is not looked for. */
  find({ known, apiKey, params }: AskedOperation): RepeatedRequest | undefined {
    const { operationName, variables, onError } = params;
    let habit = this.#habits.get(known);
    if (!habit) this.#habits.set(known, (habit = new DocumentHabit()));
    if (!habit.isLookedAt()) return undefined;
    const id = JSON.stringify([habit.id, apiKey, operationName ?? null, onError, variables]);
    const found = this.#requests.get(id);
    habit.noteRepetition(found !== undefined);
    if (!found) {
      this.#requests.set(id, new RepeatedRequest(id, variables));
      return undefined;
    }
    // Numbers such as 1e999 and -0 become others in JSON.
    return isDeepStrictEqual(found.variables, variables) && found.isDue() ? found : undefined;
  }

  /**
   * Answers a query.
   *
   * @param turns in which a large answer is written.
   * @param rest has made no call yet; makes the same ones whether the answer is a kept one or not.
   * @returns the kept answer, or what was executed.
   */
  async answer(
    request: RepeatedRequest,
    turns: Turns,
    rest: RestClient,
    execute: () => MaybePromise<Executed>,
  ): Promise<Content | Executed> {
    if (request.kept) {
      const { recording, content } = request.kept;
      if (await rest.replay(recording)) {
        request.noteSame();
        return content;
      }
      request.noteChange();
      return execute();
    }
    const end = rest.record();
    const result = await execute();
    const recording = end();
    if (!recording || result.errors) return result;
    // Made of the text: the result's objects take several times as much memory.
    const written = replyOf(result).content;
    await written.write(turns);
    const content = new Content(written.text);
    request.kept = { recording, content };
    this.#requests.set(request.id, request);
    return content;
  }
}

let documents = 0;

/** How often a document is asked with the same key and variables again. */
class DocumentHabit extends Habit {
  readonly id = documents++;
}

interface KeptAnswer {
  readonly recording: Recording;
  readonly content: Content;
}

/** A request that may come again: a document with a key and variables, and its kept answer. */
class RepeatedRequest {
  readonly id: string;
  readonly variables: OperationParams['variables'];
  kept: KeptAnswer | undefined;
  /** How many requests are left alone after the next change, and how many still are. */
  #pause = 0;
  #pausing = 0;

  constructor(id: string, variables: OperationParams['variables']) {
    this.id = id;
    this.variables = variables;
  }

  /** What it takes at most; an answer that is kept is there in codings too. */
  get bytes(): number {
    const { id, kept } = this;
    // The id's own characters, and its variables as they were sent.
    const own = BYTES.request + 3 * BYTES.character * id.length;
    if (!kept) return own;
    const { recording, content } = kept;
    const reads = recording.reads.length + recording.primed.length;
    return own + BYTES.read * reads + 2 * BYTES.character * content.text.length;
  }

  isDue(): boolean {
    if (this.#pausing === 0) return true;
    this.#pausing -= 1;
    return false;
  }

  noteSame(): void {
    this.#pause = 0;
  }

  noteChange(): void {
    this.kept = undefined;
    this.#pausing = this.#pause;
    this.#pause = Math.min(MAX_PAUSE, 2 * this.#pause + 1);
  }
}
