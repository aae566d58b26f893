/**
 * A position in the response: the path that resolvers are given, and what becomes null when nothing can
 * stand there.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { PreparedField, Shape } from '../operation/prepared-selection.ts';

export type Container = Record<PropertyKey, unknown> | unknown[];

export class ResponsePosition implements Readonly<GraphQLResolveInfo['path']> {
  readonly prev: ResponsePosition | undefined;
  readonly key: string | number;
  /** The type that has the field; undefined for an item. */
  readonly typename: string | undefined;
  readonly #container: Container;
  readonly #field: PreparedField;
  readonly #shape: Shape;
  #boundary: NullBoundary | undefined;

  /**
   * @param key of `container`: an index for an item, or else the response key of `field`.
   * @param shape of the value at this position: the field's own, or that of its items.
   */
  constructor(
    prev: ResponsePosition | undefined,
    key: string | number,
    field: PreparedField,
    shape: Shape,
    container: Container,
  ) {
    this.prev = prev;
    this.key = key;
    this.typename = typeof key === 'string' ? field.parentType.name : undefined;
    this.#container = container;
    this.#field = field;
    this.#shape = shape;
  }

  /** The field that is completed here, or whose list has this item. */
  get field(): PreparedField {
    return this.#field;
  }

  get shape(): Shape {
    return this.#shape;
  }

  get value(): unknown {
    return (this.#container as Record<PropertyKey, unknown>)[this.key];
  }

  put(value: unknown): void {
    (this.#container as Record<PropertyKey, unknown>)[this.key] = value;
  }

  /** The same position for a separate execution below it, whose nulls go no further than `root`. */
  below(root: NullBoundary, field = this.#field): ResponsePosition {
    const { prev, key } = this;
    const position = new ResponsePosition(prev, key, field, this.#shape, this.#container);
    position.#boundary = root;
    return position;
  }

  /**
   * What becomes null by an error of which nothing between it and here may be null.
   *
   * @param propagates whether nulls pass positions that must not be null.
   */
  boundary(root: NullBoundary, propagates: boolean): NullBoundary {
    if (this.#boundary) return this.#boundary;
    const above = this.prev?.boundary(root, propagates) ?? root;
    const isPassed = propagates && this.#shape.isNonNull;
    return isPassed ? above : (this.#boundary = new NullBoundary(this, above));
  }

  /** Drops what is still awaited below this position. */
  nullify(): void {
    if (this.#boundary) this.#boundary.isNull = true;
  }
}

/**
 * A nullable position with awaited values below it, or all of the data.
 *
 * Awaited values are counted by boundary, so that a position which becomes null is waited for no more,
 * whatever its fields still do.
 */
export class NullBoundary {
  /** Undefined for all of the data. */
  readonly position: ResponsePosition | undefined;
  isNull = false;
  readonly #above: NullBoundary | undefined;
  /** Where the root of a separate execution stands: a boundary that does not wait for it, but may become null. */
  readonly #outer: NullBoundary | undefined;
  /** Awaited values, and boundaries that have some. */
  #awaited = 0;
  #isLeft = false;

  constructor(
    position: ResponsePosition | undefined,
    above: NullBoundary | undefined,
    outer?: NullBoundary,
  ) {
    this.position = position;
    this.#above = above;
    this.#outer = outer;
  }

  get isAwaited(): boolean {
    return this.#awaited > 0;
  }

  /** Whether a value at this position would not be in the answer. */
  get isBelowNull(): boolean {
    return this.isNull || ((this.#above ?? this.#outer)?.isBelowNull ?? false);
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

  /** Makes the position null; what is awaited below it is waited for no more. */
  leave(): void {
    this.isNull = true;
    this.#isLeft = true;
    this.position?.put(null);
    this.#above?.settle();
  }
}
