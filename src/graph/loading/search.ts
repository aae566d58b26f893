/**
 * Searches of lists for an object, where the backend has no route for it.
 */
import { valueAt } from '../types/key.ts';

/** A search for an object by a field; errors may replace the field or the whole object. */
export class Search<Item extends object> {
  readonly #field: keyof Item & string;
  readonly #isWanted: (value: unknown) => boolean;
  #fault: Error | undefined;

  constructor(field: keyof Item & string, isWanted: (value: unknown) => boolean) {
    this.#field = field;
    this.#isWanted = isWanted;
  }

  find(items: readonly Item[]): Item | undefined {
    for (const item of items) {
      const value = valueAt(item, this.#field);
      if (value instanceof Error) this.#fault ??= value;
      else if (this.#isWanted(value)) return item;
    }
    return undefined;
  }

  /** Ends a search that found nothing. @throws the error of an invalid object, which may be the one. */
  end(): null {
    if (this.#fault) throw this.#fault;
    return null;
  }
}
