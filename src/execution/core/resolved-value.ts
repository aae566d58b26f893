/**
 * Values of resolvers: synchronous or promised, and serialized leaves.
 */
import { GraphQLError } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { LeafShape } from '../operation/prepared-selection.ts';

export type MaybePromise<Value> = Value | Promise<Value>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isPrimitive = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  (isObject(value) || typeof value === 'function') &&
  typeof (value as { then?: unknown }).then === 'function';

export const propertyOf = (source: unknown, name: string): unknown =>
  isObject(source) || typeof source === 'function'
    ? (source as Record<string, unknown>)[name]
    : undefined;

/** Handles rejections in a value that may never be completed. */
export function handleRejections(value: unknown): void {
  if (isPromiseLike(value)) Promise.resolve(value).then(handleRejections, () => {});
  else if (Array.isArray(value) || value instanceof Set) value.forEach(handleRejections);
}

/** @throws the type's error for the value. */
export function serialize({ type, isPlain }: LeafShape, value: unknown): unknown {
  if (isPlain?.(value)) return value;
  let serialized: unknown;
  try {
    serialized = type.serialize(value);
  } catch (error) {
    // An error without a code is not meant for callers, and may contain source data.
    const isForCallers = !(error instanceof GraphQLError) || 'code' in error.extensions;
    throw isForCallers ? error : new Error(error.message);
  }
  if (serialized !== null && serialized !== undefined) return serialized;
  throw new Error(
    `Expected \`${type.name}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${String(serialized)}`,
  );
}
