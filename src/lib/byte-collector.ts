/**
 * Joins chunks into one buffer that takes at most twice their bytes.
 *
 * Not a list of chunks: a chunk of one byte takes a hundred bytes of memory, and keeps alive the larger
 * buffer it was cut from.
 */
const EMPTY = Buffer.alloc(0);

export class ByteCollector {
  #bytes: Buffer = EMPTY;
  #size = 0;

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    const end = this.#size + chunk.length;
    if (this.#size === 0) {
      this.#bytes = chunk; // often the only one, and then never copied
    } else {
      if (end > this.#bytes.length) this.#grow(end);
      chunk.copy(this.#bytes, this.#size);
    }
    this.#size = end;
  }

  /** All bytes; nothing may be added afterwards. */
  take(): Buffer {
    const isFull = this.#size === this.#bytes.length;
    return isFull ? this.#bytes : this.#bytes.subarray(0, this.#size);
  }

  #grow(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}
