/**
 * A position in the response: the path for resolvers, and the boundary for null propagation.
 */
import type { GraphQLResolveInfo } from 'graphql';
import type { PreparedField, Shape } from '../operation/prepared-selection.ts';

export type Container = Record<PropertyKey, unknown> | unknown[];

export class ResponsePosition implements Readonly<GraphQLResolveInfo['path']> {
  readonly prev: ResponsePosition | undefined;
  readonly key: string | number;
  /** Parent type of the field; undefined for an item. */
  readonly typename: string | undefined;
  readonly #container: Container;
  readonly #field: PreparedField;
  readonly #shape: Shape;
  #boundary: NullBoundary | undefined;

  /**
   * @param key key in `container`: an index for an item, or else the response key of `field`.
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

  /** The field of this position, or of the list with this item. */
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

  /** Returns the same position for a separate execution, in which nulls propagate to `root` at most. */
  below(root: NullBoundary, field = this.#field): ResponsePosition {
    const { prev, key } = this;
    const position = new ResponsePosition(prev, key, field, this.#shape, this.#container);
    position.#boundary = root;
    return position;
  }

  /**
   * Returns the boundary that an error at this position nulls.
   *
   * @param propagates whether nulls propagate through non-null positions.
   */
  boundary(root: NullBoundary, propagates: boolean): NullBoundary {
    if (this.#boundary) return this.#boundary;
    const above = this.prev?.boundary(root, propagates) ?? root;
    const isPassed = propagates && this.#shape.isNonNull;
    return isPassed ? above : (this.#boundary = new NullBoundary(this, above));
  }

  /** Drops awaited values below this position. */
  nullify(): void {
    if (this.#boundary) this.#boundary.isNull = true;
  }
}

/**
 * A nullable position with awaited values below it, or the whole data.
 *
 * Awaited values are counted by boundary, so a nulled position is not awaited any longer, even if its fields are still
 * resolving.
 */
export class NullBoundary {
  /** Undefined for the whole data. */
  readonly position: ResponsePosition | undefined;
  isNull = false;
  readonly #above: NullBoundary | undefined;
  /** Boundary around a separate execution, which does not wait for it but may become null. */
  readonly #outer: NullBoundary | undefined;
  /** Number of awaited values, and of boundaries with awaited values. */
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

  /** Whether this position is nulled in the result. */
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

  /** Nulls the position, and stops waiting for values below it. */
  leave(): void {
    this.isNull = true;
    this.#isLeft = true;
    this.position?.put(null);
    this.#above?.settle();
  }
}
