/**
 * The success of reading an operation ahead, for all variables and callers: whether it has later rounds, and whether few
 * of its reads ahead were in vain.
 */
import { hash } from 'node:crypto';
import { perDefinition } from '../../gateway/operation/document.ts';

/** Number of runs that are judged together. */
const RUNS = 20;

/** Maximum share of reads ahead that no field asks. */
const MOST_UNUSED = 0.1;

/** Time without reading ahead after too many wrong guesses, in milliseconds. */
const PAUSE_MS = 600_000;

/** Numbers of reads ahead of one run. */
interface Guessed {
  readonly begun: number;
  readonly unused: number;
}

export class Guesses {
  /** SHA-256 of the document, and the operation's name. */
  readonly id: string;
  /** Whether a run has asked a read after its first round. */
  hasLaterRounds = false;
  #runs: Guessed[] = [];
  #pausedUntilMs = 0;

  constructor(id: string) {
    this.id = id;
  }

  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }

  /** Records a run that has read ahead. */
  add(run: Guessed, nowMs: number): void {
    this.#runs.push(run);
    if (this.#runs.length < RUNS) return;
    let [begun, unused] = [0, 0];
    for (const one of this.#runs) {
      begun += one.begun;
      unused += one.unused;
    }
    this.#runs.shift();
    if (unused <= begun * MOST_UNUSED) return;
    this.#pausedUntilMs = nowMs + PAUSE_MS;
    this.#runs = [];
  }
}

/** The guesses of an operation; they last as long as its document does. */
export const guessesOf = perDefinition(({ name, document }) => {
  const sha256 = document.hash ?? hash('sha256', document.text, 'hex');
  return new Guesses(`${sha256} ${name ?? ''}`);
});
