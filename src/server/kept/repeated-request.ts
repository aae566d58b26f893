/**
 * A request that may come again: a document with a key and variables, its kept answer, and whether to
 * try again after the answer has changed.
 */
import type { Recording } from '../../rest/client/recording.ts';
import type { OperationParams } from '../operation/params.ts';
import type { Content } from '../operation/reply.ts';

/** The most memory of a request, of a read and of a character, in bytes. */
const BYTES = { request: 512, read: 512, character: 2 };

/** For how many requests an answer that keeps changing is left alone, at most. */
const MAX_PAUSE = 64;

interface KeptAnswer {
  readonly recording: Recording;
  readonly content: Content;
}

/** A document with a key and variables. */
export class RepeatedRequest {
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
