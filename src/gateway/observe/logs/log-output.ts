/**
 * Writes log lines to a file descriptor. Slow readers and errors, such as a full disk, delay lines and then drop them;
 * they never stop or end the process.
 *
 * Not pino's output: at an error other than EAGAIN it throws, or retries indefinitely at exit.
 */
import { write, writeSync } from 'node:fs';

/** Maximum bytes of waiting lines; further lines are dropped. */
export const MAX_WAITING_BYTES = 4_000_000;

/** Pause after a failed write, in milliseconds. */
const RETRY_MS = 100;

/** Time to write the last lines at exit, in milliseconds. */
const LAST_LINES_MS = 500;

const EMPTY: Buffer = Buffer.alloc(0);

export class LogOutput {
  readonly #fd: number;
  readonly #onDropped: (lines: number, failure: string | undefined) => void;
  #lines: string[] = [];
  /** Rest of the lines that are being written. */
  #rest = EMPTY;
  #waitingBytes = 0;
  #state: 'idle' | 'scheduled' | 'writing' = 'idle';
  #dropped = 0;
  #failure: string | undefined;

  /**
   * Writes the last lines when the process exits.
   *
   * @param onDropped called with the number of lines lost, once lines can be written again, and the first error.
   */
  constructor(fd: number, onDropped: (lines: number, failure: string | undefined) => void) {
    this.#fd = fd;
    this.#onDropped = onDropped;
    process.once('exit', () => this.#writeLast());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#waitingBytes += bytes;
    this.#lines.push(line);
    if (this.#state !== 'idle') return;
    this.#state = 'scheduled';
    // One write for the lines of a turn.
    setImmediate(this.#writeNext);
  }

  readonly #writeNext = (): void => {
    this.#state = 'writing';
    if (this.#rest.length === 0) this.#rest = this.#takeLines();
    write(this.#fd, this.#rest, this.#onWritten);
  };

  readonly #onWritten = (error: NodeJS.ErrnoException | null, bytes: number): void => {
    if (error) {
      this.#failure ??= error.code;
      this.#state = 'scheduled';
      setTimeout(this.#writeNext, RETRY_MS).unref();
      return;
    }
    this.#waitingBytes -= bytes;
    this.#rest = this.#rest.subarray(bytes);
    if (this.#waitingBytes > 0) return this.#writeNext();
    this.#state = 'idle';
    const [dropped, failure] = [this.#dropped, this.#failure];
    this.#dropped = 0;
    this.#failure = undefined;
    if (dropped > 0) this.#onDropped(dropped, failure);
  };

  #takeLines(): Buffer {
    const text = this.#lines.join('');
    this.#lines = [];
    return Buffer.from(text);
  }

  #writeLast(): void {
    const untilMs = performance.now() + LAST_LINES_MS;
    const isWriting = this.#state === 'writing';
    // Such a write is done by another thread, which takes no longer.
    if (isWriting) sleep();
    let rest = Buffer.concat([isWriting ? EMPTY : this.#rest, this.#takeLines()]);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EAGAIN' || performance.now() > untilMs) return;
        sleep();
      }
    }
  }
}

function sleep(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
