/**
 * A dispatcher that asks a backend once for each path, and answers from memory from then on, in the next
 * turn of the event loop: what is left of a call is the work of its client.
 */
import type { Dispatcher } from 'undici';
import { answerWith } from './instant-dispatcher.ts';

interface Remembered {
  readonly status: number;
  readonly body: Buffer;
}

export class MemoryDispatcher {
  readonly #backendUrl: string;
  readonly #apiKey: string;
  readonly #known = new Map<string, Remembered>();
  /** What is answered at the end of this turn. */
  #due: (() => void)[] = [];
  #rounds: string[][] | undefined;

  /** @param apiKey that the backend is asked with, whatever the callers' keys. */
  constructor(backendUrl: string, apiKey: string) {
    this.#backendUrl = backendUrl;
    this.#apiKey = apiKey;
  }

  /** The paths that are called, together with those that are called in the same turn. */
  async roundsOf(ask: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
    const rounds: string[][] = [];
    this.#rounds = rounds;
    await ask();
    this.#rounds = undefined;
    return rounds;
  }

  dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#due.length === 0) {
      this.#rounds?.push([]);
      setImmediate(() => {
        const due = this.#due;
        this.#due = [];
        for (const answer of due) answer();
      });
    }
    this.#rounds?.at(-1)!.push(path);
    const known = this.#known.get(path);
    this.#due.push(() => {
      const answer = ({ status, body }: Remembered): void => answerWith(handler, status, body);
      if (known) answer(known);
      else void this.#read(path).then(answer);
    });
    return true;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #read(path: string): Promise<Remembered> {
    const answer = await fetch(this.#backendUrl + path, { headers: { 'x-api-key': this.#apiKey } });
    const read = { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
    this.#known.set(path, read);
    return read;
  }
}
