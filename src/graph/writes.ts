/**
 * The writes of a mutation and their outcomes, for its errors: a caller who takes a failed response for a refusal writes
 * twice.
 */

/** A sent write. */
export interface Write {
  /** Response key of the mutation's field. */
  readonly field: string;
  /** Null while it is in flight, and if its outcome is unknown. */
  readonly carriedOut: true | null;
  /** Global id of the written object, if it is known. */
  readonly id?: string | undefined;
}

export class Writes {
  readonly #sent = new Map<string, Write>();

  /** A write is about to be sent. */
  begin(field: string): void {
    this.#sent.set(field, { field, carriedOut: null });
  }

  /** The write was surely not carried out. */
  refuse(field: string): void {
    this.#sent.delete(field);
  }

  carryOut(field: string, id?: string): void {
    this.#sent.set(field, { field, carriedOut: true, id });
  }

  /** Whether a write was carried out, or may have been. */
  get any(): boolean {
    return this.#sent.size > 0;
  }

  /**
   * Returns the writes that an error has to tell.
   *
   * @param field response key of the root field that the error is about; undefined for an error about the whole result.
   */
  of(field: string | undefined): readonly Write[] {
    if (field === undefined) return [...this.#sent.values()];
    const write = this.#sent.get(field);
    // The error of an unknown outcome tells it itself.
    return write?.carriedOut ? [write] : [];
  }
}
