/**
 * Values without fields, as an answer has them.
 */
import type { GraphQLLeafType } from 'graphql';

/** What JSON has a word for, and is passed on as it is where it was checked as it arrived. */
export const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** @throws what the type has against the value. */
export function serialized(type: GraphQLLeafType, value: unknown): unknown {
  const written: unknown = type.serialize(value);
  if (written !== null && written !== undefined) return written;
  throw new Error(`A value of "${type.name}" was serialized to nothing.`);
}
