/**
 * Joins chunks into one buffer that takes at most twice their bytes.
 *
 * Not a list of chunks: a chunk of one byte takes a hundred bytes of memory, and retains the larger buffer that it is a
 * part of.
 */
export class ByteCollector {
  #bytes = EMPTY;
  size = 0;

  add(chunk: Buffer): void {
    const end = this.size + chunk.length;
    if (this.size === 0) {
      this.#bytes = chunk; // often the only one, which avoids a copy
    } else {
      if (end > this.#bytes.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
        this.#bytes.copy(grown, 0, 0, this.size);
        this.#bytes = grown;
      }
      chunk.copy(this.#bytes, this.size);
    }
    this.size = end;
  }

  /** Returns all bytes. Nothing may be added afterwards. */
  take(): Buffer {
    return this.size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.size);
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
