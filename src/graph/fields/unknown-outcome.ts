/**
 * Errors of writes that may or may not have been carried out, with the present state of the object.
 *
 * The error stays OUTCOME_UNKNOWN whatever is read: a state that looks unchanged may be changed by the
 * write a moment later, and one that looks changed may be another caller's. Callers decide.
 */
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import type { RestError } from '../../rest/call/errors.ts';
import type { Context } from '../context.ts';
import type { Entity, KeyOf } from '../entity/entity.ts';
import { fromRestError } from '../errors.ts';
import { readTimestamp } from '../types/scalars.ts';

/**
 * The error to report at the mutation, after one GET with what is left of the request's deadline. The state
 * of the write's object is in its `extensions.state`:
 * `{ "id": "…", "found": true, "status": "queued", "queuedAt": "2026-03-01T09:30:00.000Z" }`.
 * A failure of the GET does not change the error.
 */
export async function outcomeUnknown<T extends object, Name extends keyof T & string>(
  error: RestError,
  entity: Entity<T, Name>,
  key: KeyOf<Name>,
  readBack: readonly (keyof T & string)[],
  context: Context,
  origin: GraphQLResolveInfo['path'],
): Promise<GraphQLError> {
  const { message, extensions } = fromRestError(error);
  const read = entity.loader(context).load(key, origin);
  const state = await read.then(
    (object) => ({
      found: object !== null,
      ...(object && Object.fromEntries(readBack.map((name) => [name, shown(name, object[name])]))),
    }),
    // The read may fail for the same reason as the write, whose error is reported.
    () => ({ found: null }),
  );
  const shownState = { id: entity.idOf(key), ...state };
  return new GraphQLError(message, {
    originalError: error,
    extensions: { ...extensions, state: shownState },
  });
}

/** A value as the schema would show it; undefined, which JSON leaves out, for what the backend broke. */
function shown(name: string, value: unknown): unknown {
  if (value instanceof Error) return undefined;
  if (!name.endsWith('At') || value === null) return value;
  try {
    return readTimestamp(value);
  } catch {
    return undefined;
  }
}
