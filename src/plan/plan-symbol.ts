/**
 * Objects the planner has not seen: what is known of them, and symbols for all the rest.
 *
 * Keys and lists are declared as functions of objects. Given a symbolic object they answer symbolic
 * keys, and equal symbols mean equal calls.
 */
import type { Entity } from '../graph/entity/entity.ts';
import type { Tally } from './plan-tally.ts';

export type Key = Readonly<Record<string, string>>;

const SPACE = Symbol('the namespace of an object’s symbols');

/**
 * An object that answers every property: with what is known, or a symbol for it.
 *
 * @param space names the object: objects of one space are the same to the planner.
 * @param most how many objects it may stand for.
 */
export function symbolic(tally: Tally, known: object, space: string, most: number): object {
  return new Proxy(known, {
    get: (target, name) => {
      if (name === SPACE) return space;
      const value: unknown = Reflect.get(target, name);
      if (value !== undefined || typeof name !== 'string') return value;
      return tally.symbol(`?${name}@${space.replace(/["\\[\]]/g, '')}`, most);
    },
  });
}

/** The namespace an object was made with. */
export const spaceOf = (value: object): string =>
  String((value as { readonly [SPACE]?: string })[SPACE] ?? '');

/** What names the reading of one object. */
export const identityOf = (entity: Entity, key: Key): string =>
  entity.name + JSON.stringify(entity.key.map((name) => key[name]));

/** A key with symbols for the parts that could not be told. */
export function completeKey(
  tally: Tally,
  entity: Entity,
  key: Key,
  space: string,
  most: number,
): Key {
  const unknown = symbolic(tally, {}, space, most) as Key;
  return Object.fromEntries(
    entity.key.map((name) => [name, typeof key[name] === 'string' ? key[name] : unknown[name]!]),
  );
}

/** Objects that come with another one share the parts of their keys that have the same name. */
export function sharedKey(entity: Entity, parent: object): Record<string, string> {
  // `in` sees what is known of the parent, and no symbols.
  const names = entity.key.filter((name) => name in parent);
  return Object.fromEntries(names.map((name) => [name, (parent as Key)[name]!]));
}
