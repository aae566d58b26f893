/**
 * Representations: references of other subgraphs by type and key.
 */
import type { WantedObject } from '../../graph/entity/requirement.ts';
import { findEntity, withArticle } from '../../graph/entity/entity.ts';
import { badInput } from '../../graph/errors.ts';
import { dictionary } from '../../lib/dictionary.ts';

/**
 * Reads a representation with the global id, or with all raw ids of the key.
 *
 * @throws BAD_USER_INPUT for invalid representations.
 */
export function readRepresentation(representation: unknown): WantedObject {
  if (typeof representation !== 'object' || representation === null) {
    throw badInput('A representation is an object with "__typename" and the fields of a key.');
  }
  const { __typename: typename, ...given } = representation as Readonly<Record<string, unknown>>;
  if (typeof typename !== 'string') {
    throw badInput('"__typename" is missing in a representation: give the name of its type.');
  }
  const entity = findEntity(typename);
  if (!entity) {
    throw badInput(
      `"${typename.slice(0, 64)}" has no key here: give the name of a type that this subgraph declares with @key.`,
    );
  }
  const id = idIn(given['id']);
  const rawIds = dictionary(entity.key.map((name) => [name, idIn(given[name])] as const));
  if (id !== undefined) {
    const key = entity.callerKey({ id });
    const other = entity.key.find(
      (name) => rawIds[name] !== undefined && rawIds[name] !== key[name],
    );
    if (other === undefined) return { entity, key };
    throw badInput(`"id" and "${other}" are of different objects: give ids that belong together.`);
  }
  if (entity.key.every((name) => rawIds[name] !== undefined)) {
    return { entity, key: entity.callerKey(rawIds) };
  }
  const parts = entity.key.map((name) => `"${name}"`).join(', ');
  throw badInput(
    `The key of ${withArticle(typename)} is "id", or all of ${parts}, as strings: the representation has neither.`,
  );
}

/** Reads an id as the scalar `ID` does: a string, or an integer. */
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined;
