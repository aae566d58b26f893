/**
 * Errors of writes that may or may not have been carried out, with the present state of the object.
 *
 * The error stays OUTCOME_UNKNOWN whatever is read: a state that looks unchanged may be changed by the
 * write a moment later, and one that looks changed may be another caller's. Callers decide.
 */
import type { GraphQLError, GraphQLResolveInfo } from 'graphql';
import type { RestOutcomeUnknownError } from '../../rest/call/errors.ts';
import type { Context } from '../context.ts';
import type { Entity, KeyOf } from '../entity/entity.ts';
import { fromRestError } from '../errors.ts';
import { readTimestamp } from '../types/scalars.ts';

/**
 * The state of such a write's object, in `extensions.state` of the error:
 * `{ "id": "…", "found": true, "status": "queued", "queuedAt": "2026-03-01T09:30:00.000Z" }`.
 */
interface StateReadBack {
  /** Whether the object was there; null when it could not be read back in time. */
  readonly found: boolean | null;
  /** The fields that show it, by their names in the schema; broken ones are left out. */
  readonly [field: string]: unknown;
}

/**
 * The error to report at the mutation, after one GET with what is left of the request's deadline.
 * A failure of the GET does not change the error.
 */
export async function outcomeUnknown<T extends object, Name extends keyof T & string>(
  error: RestOutcomeUnknownError,
  entity: Entity<T, Name>,
  key: KeyOf<Name>,
  readBack: readonly (keyof T & string)[],
  context: Context,
  origin: GraphQLResolveInfo['path'],
): Promise<GraphQLError> {
  const reported = fromRestError(error);
  const state = await readState(() => entity.loader(context).load(key, origin), readBack);
  reported.extensions['state'] = { id: entity.idOf(key), ...state };
  return reported;
}

async function readState<T extends object>(
  read: () => Promise<T | null>,
  readBack: readonly (keyof T & string)[],
): Promise<StateReadBack> {
  try {
    const object = await read();
    if (!object) return { found: false };
    const values = readBack.flatMap((name) => {
      const value = shown(name, object[name]);
      return value === undefined ? [] : [[name, value] as const];
    });
    return { found: true, ...Object.fromEntries(values) };
  } catch {
    // The read may fail for the same reason as the write, whose error is reported.
    return { found: null };
  }
}

/** A value as the schema would show it; undefined for what the backend broke. */
function shown(name: string, value: unknown): unknown {
  if (value instanceof Error) return undefined;
  if (!name.endsWith('At') || value === null) return value;
  try {
    return readTimestamp(value);
  } catch {
    return undefined;
  }
}
