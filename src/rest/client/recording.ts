/**
 * The reads of a request, kept so that a request like it can make them without executing anything.
 *
 * A read is made again when those have ended as before that had ended when it was first made. An
 * execution would make it at that point too: a replay never asks the backend for more.
 */
import { Cancel } from '../../lib/cancel.ts';
import type { Call } from './call.ts';
import type { Journal, JournalEntry } from './journal.ts';

/** What does not change from one request to the next. */
export type RecordedRead = Pick<Call, 'route' | 'path' | 'isOptional' | 'origin'>;

interface MadeRead extends RecordedRead {
  /** How many reads had ended when it began. */
  readonly endedBefore: number;
  /**
   * Null for a 404 that is an answer. Held weakly: for the same bytes the decode cache
   * gives the same object, and it bounds what all of them take.
   */
  answer: WeakRef<object> | null;
}

export class Recording {
  /** In the order in which they began. */
  readonly reads: MadeRead[] = [];
  /** Indices of reads, in the order in which they ended. */
  readonly ended: number[] = [];
  /** What the journal noted of answers that were there already. */
  readonly primed: Pick<JournalEntry, 'route' | 'origin'>[] = [];
  #hasFailed = false;

  /** Completes it; false when a read was not answered. */
  end({ entries }: Journal): boolean {
    for (const { route, origin, source } of entries) {
      if (source === 'primed') this.primed.push({ route, origin });
    }
    return !this.#hasFailed && this.ended.length === this.reads.length;
  }

  add({ route, path, isOptional, origin }: Call, answer: Promise<unknown>): void {
    const endedBefore = this.ended.length;
    const read: MadeRead = { route, path, isOptional, origin, endedBefore, answer: null };
    const index = this.reads.push(read) - 1;
    answer.then(
      (value) => {
        // Bodies are objects.
        read.answer = value === null ? null : new WeakRef(value as object);
        this.ended.push(index);
      },
      () => {
        this.#hasFailed = true;
      },
    );
  }
}

interface BegunRead {
  readonly read: RecordedRead;
  readonly cancel: Cancel;
  readonly answer: Promise<unknown>;
}

export class Replay {
  readonly #begun: BegunRead[] = [];

  /**
   * Makes the reads until one is answered otherwise; never rejects.
   *
   * @param make makes one; may throw.
   * @returns whether every answer is what it was.
   */
  async run(
    { reads, ended }: Recording,
    make: (read: RecordedRead, cancel: Cancel) => Promise<unknown>,
  ): Promise<boolean> {
    let compared = 0;
    const areSame = async (count: number): Promise<boolean> => {
      for (; compared < count; compared++) {
        const index = ended[compared]!;
        const value = await this.#begun[index]!.answer;
        const { answer } = reads[index]!;
        if (value === null ? answer !== null : answer?.deref() !== value) return false;
      }
      return true;
    };
    try {
      for (const read of reads) {
        if (compared < read.endedBefore && !(await areSame(read.endedBefore))) return false;
        const cancel = new Cancel();
        const answer = make(read, cancel);
        // It may fail before its turn to be compared.
        answer.catch(() => {});
        this.#begun.push({ read, cancel, answer });
      }
      return await areSame(ended.length);
    } catch {
      return false;
    }
  }

  /** The answer to a read that was begun, for the call that makes it; each is taken over once. */
  take(
    path: string,
    isOptional: boolean,
    cancel: Cancel | undefined,
  ): Promise<unknown> | undefined {
    const index = this.#begun.findIndex(
      ({ read }) => read.path === path && read.isOptional === isOptional,
    );
    if (index < 0) return undefined;
    const [begun] = this.#begun.splice(index, 1) as [BegunRead];
    cancel?.listen({ giveUp: () => begun.cancel.cancel() });
    return begun.answer;
  }
}
