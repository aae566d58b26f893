/**
 * A place in the result: the path that resolvers are given, and what becomes null when nothing can
 * stand there.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { PreparedField, Shape } from '../operation/prepared-operation.ts';

export type Container = Record<PropertyKey, unknown> | unknown[];

export class Path implements Readonly<GraphQLResolveInfo['path']> {
  readonly prev: Path | undefined;
  readonly key: string | number;
  /** The type that has the field; undefined for an item. */
  readonly typename: string | undefined;
  readonly #container: Container;
  readonly #field: PreparedField;
  #boundary: NullBoundary | undefined;

  constructor(
    prev: Path | undefined,
    key: string | number,
    field: PreparedField,
    container: Container,
  ) {
    this.prev = prev;
    this.key = key;
    this.typename = typeof key === 'string' ? field.parentType.name : undefined;
    this.#container = container;
    this.#field = field;
  }

  /** The field that is completed here, or whose list has this item. */
  get field(): PreparedField {
    return this.#field;
  }

  get shape(): Shape {
    if (typeof this.key === 'string') return this.#field.shape;
    // An item stands in a list.
    return (this.prev!.shape as Extract<Shape, { kind: 'list' }>).item;
  }

  put(value: unknown): void {
    (this.#container as Record<PropertyKey, unknown>)[this.key] = value;
  }

  /** The same place, above which nothing becomes null by what is executed later. */
  rooted(root: NullBoundary): Path {
    const path = new Path(this.prev, this.key, this.#field, this.#container);
    path.#boundary = root;
    return path;
  }

  /**
   * What becomes null by an error of which nothing between it and here may be null.
   *
   * @param propagates whether nulls pass places that must not be null.
   */
  boundary(root: NullBoundary, propagates: boolean): NullBoundary {
    if (this.#boundary) return this.#boundary;
    const above = this.prev?.boundary(root, propagates) ?? root;
    const isPassed = propagates && this.shape.isNonNull;
    return isPassed ? above : (this.#boundary = new NullBoundary(this, above));
  }

  /** Nothing more is wanted below this place. */
  nullify(): void {
    if (this.#boundary) this.#boundary.isNull = true;
  }
}

/**
 * A nullable place with awaited values below it, or all of the data.
 *
 * Awaited values are counted by boundary, so that a place which becomes null is waited for no more,
 * whatever its fields still do.
 */
export class NullBoundary {
  /** Undefined for all of the data. */
  readonly path: Path | undefined;
  isNull = false;
  readonly #above: NullBoundary | undefined;
  /** The place of what is executed later: it does not wait for that, but may become null meanwhile. */
  readonly #place: NullBoundary | undefined;
  /** Awaited values, and boundaries that have some. */
  #awaited = 0;
  #isLeft = false;

  constructor(path: Path | undefined, above: NullBoundary | undefined, place?: NullBoundary) {
    this.path = path;
    this.#above = above;
    this.#place = place;
  }

  get isAwaited(): boolean {
    return this.#awaited > 0;
  }

  /** Whether a value at this place would not be in the answer. */
  get isBelowNull(): boolean {
    return this.isNull || this.isAboveNull;
  }

  get isAboveNull(): boolean {
    return (this.#above ?? this.#place)?.isBelowNull ?? false;
  }

  await(): void {
    this.#awaited += 1;
    if (this.#awaited === 1) this.#above?.await();
  }

  settle(): void {
    this.#awaited -= 1;
    if (this.#awaited > 0 || this.#isLeft) return;
    this.#above?.settle();
  }

  /** Makes the place null; what is awaited below it is waited for no more. */
  leave(): void {
    this.isNull = true;
    this.#isLeft = true;
    this.path?.put(null);
    this.#above?.settle();
  }
}
