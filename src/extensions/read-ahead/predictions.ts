/** Whether an operation has later rounds, and how many of its prefetches were used, over all variables and callers. */
import { hash } from 'node:crypto';
import type { OperationDefinition } from '../../gateway/operation/document.ts';

const RUNS = 20;

/** Maximum share of unused prefetches. */
const MOST_UNUSED = 0.1;

/** Time without prefetching after too many unused ones, in milliseconds. */
const PAUSE_MS = 600_000;

interface PrefetchCounts {
  readonly begun: number;
  readonly unused: number;
}

export class Predictions {
  /** SHA-256 of the document, and the operation's name. */
  readonly id: string;
  /** Whether a run has read after its first round. */
  hasLaterRounds = false;
  #runs: PrefetchCounts[] = [];
  #pausedUntilMs = 0;

  constructor(id: string) {
    this.id = id;
  }

  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }

  add(run: PrefetchCounts, nowMs: number): void {
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

const known = new WeakMap<OperationDefinition, Predictions>();

export function predictionsOf(definition: OperationDefinition): Predictions {
  let predictions = known.get(definition);
  if (!predictions) {
    const { name = '', document } = definition;
    const sha256 = document.hash ?? hash('sha256', document.text, 'hex');
    known.set(definition, (predictions = new Predictions(`${sha256} ${name}`)));
  }
  return predictions;
}
