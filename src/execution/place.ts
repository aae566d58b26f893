/**
 * A place in an answer: the path to it, as resolvers know it, and what has to be null when nothing
 * can stand there.
 */
import type { GraphQLResolveInfo } from 'graphql';

/** An object or a list of the answer. */
type Holder = Record<PropertyKey, unknown> | unknown[];

export class Place implements Readonly<GraphQLResolveInfo['path']> {
  readonly prev: Place | undefined;
  readonly key: string | number;
  readonly typename: string | undefined;
  readonly #holder: Holder;
  readonly #isNonNull: boolean;

  constructor(
    prev: Place | undefined,
    key: string | number,
    typename: string | undefined,
    holder: Holder,
    isNonNull: boolean,
  ) {
    this.prev = prev;
    this.key = key;
    this.typename = typename;
    this.#holder = holder;
    this.#isNonNull = isNonNull;
  }

  put(value: unknown): void {
    (this.#holder as Record<PropertyKey, unknown>)[this.key] = value;
  }

  /** The nearest place that may be null, from here up; undefined when all data has to be. */
  nullable(): Place | undefined {
    return this.#isNonNull ? this.prev?.nullable() : this;
  }
}
