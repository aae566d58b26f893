/**
 * Executing a prepared operation, as the specification has it: the data is graphql-js's to the byte.
 *
 * graphql-js works out anew, for every item of a list, what is selected and which arguments it has,
 * and makes several promises of every field. Here the first was prepared, and an answer is handed
 * over with its places still open: only what has to wait costs a promise, and a property of the
 * source costs its reading.
 *
 * Promises are native ones, and objects are told apart by `resolveType` alone. Where several errors
 * lead to one null, the first is told; graphql-js may tell of others that it waited for.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Execution
 */
import { GraphQLError, locatedError, responsePathAsArray } from 'graphql';
import type { Execution } from './execution.ts';
import type { FieldErrors } from './field-errors.ts';
import { isPlain, serialized } from './leaf.ts';
import { Place } from './place.ts';
import {
  nameOf,
  type Data,
  type PreparedField,
  type PreparedSelection,
  type Shape,
} from './prepared.ts';

export class Executor {
  readonly #execution: Execution;
  readonly #errors: FieldErrors;
  /** Places that are open. */
  #open = 0;
  #filled: (() => void) | undefined;
  #failed: ((error: unknown) => void) | undefined;

  constructor(execution: Execution, errors: FieldErrors) {
    this.#execution = execution;
    this.#errors = errors;
  }

  /** All data. Throws, or rejects with, the error of a field that must not be null. */
  together(root: PreparedSelection): Data | Promise<Data> {
    try {
      const data = this.#fields(root, this.#execution.rootValue, undefined);
      return this.#open === 0 ? data : this.#whenFilled().then(() => data);
    } catch (error) {
      return this.#failWhenFilled(error);
    }
  }

  /** The same, of which each root field begins when the one before has ended, as writes do. */
  async oneByOne(root: PreparedSelection): Promise<Data> {
    const data = new root.Data();
    try {
      for (const field of root.fields) {
        data[field.key] = this.#field(field, this.#execution.rootValue, undefined, undefined, data);
        if (this.#open > 0) await this.#whenFilled();
      }
      return data;
    } catch (error) {
      return this.#failWhenFilled(error);
    }
  }

  /** What was begun is told of, so it has to end. */
  #failWhenFilled(error: unknown): Promise<never> {
    if (this.#open === 0) throw error;
    const fail = () => {
      throw error;
    };
    return this.#whenFilled().then(fail, fail);
  }

  #whenFilled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#filled = resolve;
      this.#failed = reject;
    });
  }

  #fields(selection: PreparedSelection, source: unknown, parent: Place | undefined): Data {
    const data = new selection.Data();
    const properties = typeof source === 'object' && source !== null ? (source as Data) : NONE;
    for (const field of selection.fields) {
      const value = field.resolve ? field.typename : propertyOf(properties, field.name);
      // Most of an answer passes here, and needs no place for errors.
      const written = isPlain(value) ? field.written(value) : undefined;
      data[field.key] = written ?? this.#field(field, source, value, parent, data);
    }
    return data;
  }

  /** @param property what the source has in the field's name. */
  #field(
    field: PreparedField,
    source: unknown,
    property: unknown,
    parent: Place | undefined,
    data: Data,
  ): unknown {
    const { shape } = field;
    const place = new Place(parent, field.key, field.parentType.name, data, shape.isNonNull);
    let value: unknown;
    try {
      value = this.#execution.resolve(field, source, property, place);
    } catch (error) {
      return this.#fail(field, shape, place, error);
    }
    return this.#settle(field, shape, place, value);
  }

  /** What stands at a place; null while it is open, and where it failed and may be null. */
  #settle(field: PreparedField, shape: Shape, place: Place, value: unknown): unknown {
    if (value instanceof Promise) {
      this.#await(field, shape, place, value);
      return null;
    }
    try {
      return this.#complete(field, shape, place, value);
    } catch (error) {
      return this.#fail(field, shape, place, error);
    }
  }

  #await(field: PreparedField, shape: Shape, place: Place, promise: Promise<unknown>): void {
    this.#open += 1;
    promise.then(
      (value) => this.#fill(place, () => this.#settle(field, shape, place, value)),
      (error: unknown) => this.#fill(place, () => this.#fail(field, shape, place, error)),
    );
  }

  #fill(place: Place, settle: () => unknown): void {
    try {
      place.put(settle());
    } catch (error) {
      const nulled = place.nullable();
      nulled?.put(null);
      if (nulled) this.#errors.add(error as GraphQLError, nulled);
      else this.#failed?.(error);
    }
    this.#open -= 1;
    if (this.#open === 0) this.#filled?.();
  }

  #complete(field: PreparedField, shape: Shape, place: Place, value: unknown): unknown {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) {
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
    }
    switch (shape.kind) {
      case 'leaf':
        return shape.isChecked && isPlain(value) ? value : serialized(shape.type, value);
      case 'list':
        return this.#list(field, shape.item, place, value);
      case 'object':
      case 'abstract': {
        const type =
          shape.kind === 'object'
            ? shape.type
            : this.#execution.typeOf(value, shape.type, field, place);
        return this.#fields(field.below(type, this.#execution), value, place);
      }
    }
  }

  #list(field: PreparedField, item: Shape, place: Place, values: unknown): unknown[] {
    if (typeof values !== 'object' || !(Symbol.iterator in values!)) {
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${nameOf(field)}".`,
      );
    }
    const list: unknown[] = [];
    for (const value of values as Iterable<unknown>) {
      const at = new Place(place, list.length, undefined, list, item.isNonNull);
      list.push(this.#settle(field, item, at, value));
    }
    return list;
  }

  /** @throws {GraphQLError} for what must not be null. */
  #fail(field: PreparedField, { isNonNull }: Shape, place: Place, cause: unknown): null {
    if (!isNonNull && this.#errors.isFull) return null;
    const error = locatedError(cause, field.nodes, responsePathAsArray(place));
    if (isNonNull) throw error;
    this.#errors.add(error, place);
    return null;
  }
}

const NONE: Data = {};

/** An error stands for what a getter threw. */
function propertyOf(source: Data, name: string): unknown {
  try {
    return source[name];
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
