/**
 * Chunks → one buffer, in no more than twice their bytes.
 *
 * A list of the chunks would not do: chunks of one byte each take a hundred times what they carry, and
 * keep the memory alive that they were cut from.
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
