/**
 * Errors of writes with an unknown outcome, with the current state of the object.
 *
 * The error stays OUTCOME_UNKNOWN for any state: an unchanged state may change a moment later, and a changed one may be
 * due to another caller. Callers decide.
 */
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import type { RestError } from '../../rest/call/errors.ts';
import type { Context } from '../context.ts';
import type { Entity, KeyOf } from '../entity/entity.ts';
import { fromRestError } from '../errors.ts';
import { readTimestamp } from '../types/scalars.ts';

/**
 * Returns the error of the mutation after one GET within the request's deadline. `extensions.state` contains the state
 * of the object: `{ "id": "…", "found": true, "status": "queued", "queuedAt": "2026-03-01T09:30:00.000Z" }`. A failure
 * of the GET is ignored.
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
    // The error of the write is reported, not that of the read.
    () => ({ found: null }),
  );
  const shownState = { id: entity.idOf(key), ...state };
  return new GraphQLError(message, {
    originalError: error,
    extensions: { ...extensions, state: shownState },
  });
}

/** Converts a value as the schema does; undefined for an invalid value. */
function shown(name: string, value: unknown): unknown {
  if (value instanceof Error) return undefined;
  if (!name.endsWith('At') || value === null) return value;
  try {
    return readTimestamp(value);
  } catch {
    return undefined;
  }
}
