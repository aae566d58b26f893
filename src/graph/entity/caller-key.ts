/**
 * Turns ids as callers write them into the raw ids of REST.
 *
 * Arguments and inputs named `…Id` take the raw id, or the global id of the same type. A global id ends
 * in a checksum, so one of another type is recognised and refused instead of being looked up and not
 * found. Assumed: no raw id of the backend is written like a global id.
 */
import { badInput } from '../errors.ts';
import { readNodeId } from '../types/node-id.ts';
import { nounOf, withArticle } from '../types/typename.ts';
import { entityOfIdField, type KeyOf } from './entity.ts';

/**
 * The key that a caller names part by part: `audience(pageId:, audienceId:)`.
 *
 * @param given a raw or a global id for each part of the key.
 * @throws BAD_USER_INPUT for an id of another type, for ids of different objects, and for raw ids
 *   that can't be part of a REST path.
 */
export function callerKey<Name extends string>(
  entity: Keyed<Name>,
  given: Readonly<Record<string, unknown>>,
): KeyOf<Name> {
  const key: Record<string, string> = {};
  for (const name of entity.key) {
    for (const [part, id] of Object.entries(partsOf(name, String(given[name])))) {
      const known = (key[part] ??= id);
      if (known === id) continue;
      throw badInput(
        `"${name}" is a global id with the ${part} "${shown(id)}", but the ${part} given beside it is "${shown(known)}": pass ids that belong together.`,
        { argument: name },
      );
    }
  }
  // Every part of the key was given by its own name at least.
  return entity.checkKey(key as KeyOf<Name>);
}

/** As much of an entity as its callers' keys concern. */
interface Keyed<Name extends string> {
  readonly key: readonly Name[];
  checkKey(key: KeyOf<Name>): KeyOf<Name>;
}

/** The raw id, or all ids in a global id, by their names. */
function partsOf(name: string, id: string): Readonly<Record<string, string>> {
  const global = readNodeId(id);
  if (!global) return { [name]: id };
  const wanted = entityOfIdField(name);
  if (wanted?.name === global.typename) return wanted.keyFrom(global, id);
  throw wrongType(name, global.typename, wanted?.name);
}

/**
 * A raw id of something that has no global id here, as it is.
 *
 * @throws BAD_USER_INPUT for a global id: the backend would not know it.
 */
export function rawId<Id extends string | null | undefined>(name: string, id: Id): Id {
  const global = typeof id === 'string' ? readNodeId(id) : undefined;
  if (global) throw wrongType(name, global.typename, undefined);
  return id;
}

const wrongType = (name: string, given: string, wanted: string | undefined) =>
  badInput(
    wanted === undefined
      ? `"${name}" is the global id of ${withArticle(given)}: pass the raw id that the backend has for it.`
      : `"${name}" is the global id of ${withArticle(given)}: pass the raw or the global id of ${withArticle(wanted)}.`,
    { argument: name },
  );

/** How an argument or input field that takes a raw or a global id is described. */
export const describeId = (name: string): string => {
  const noun = nounOf(entityOfIdField(name)?.name ?? '');
  return `Raw id (\`${name}\`) or global id (\`id\`) of the ${noun}.`;
};

const shown = (id: string): string => id.slice(0, 64);
