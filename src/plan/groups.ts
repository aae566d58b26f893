/**
 * Groups of objects that are not read yet, by their (partly unknown) keys.
 *
 * Ids known only to the backend are represented by names of the calls that return them. Equal strings are equal ids, and
 * so equal calls.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
import { mapKeyOf, type Key } from '../graph/types/key.ts';
import { product } from './account.ts';

/** One object, or all objects of one call. */
export interface ObjectGroup {
  /** Equal for equal objects; for entities, the text of `idOf`. */
  readonly id: string;
  /** All parts of the entity's key, and those in common with parents. */
  readonly key: Key;
  /** Maximum number of objects. */
  readonly most: number;
}

/** Parent of root fields. */
export const ROOT: ObjectGroup = { id: '', key: {}, most: 1 };

/** Prefix of names of unknown ids: callers' ids have no control characters. */
const UNKNOWN = '\0';

/** Whether all parts of a key are known. */
export function isKnown(key: Key): boolean {
  for (const part in key) if (key[part]!.startsWith(UNKNOWN)) return false;
  return true;
}

const idOf = ({ name, key: parts }: AnyEntity, key: Key): string =>
  `${name} ${mapKeyOf(key, parts)}`;

export class ObjectGroups {
  /** Short names for long ids. */
  readonly #names = new Map<string, string>();
  readonly #most = new Map<string, number>();

  /** Returns the distinct keys of objects under these names. */
  keysOf(groups: readonly ObjectGroup[], parts: readonly string[]): readonly ObjectGroup[] {
    const found = new Map<string, ObjectGroup>();
    for (const { id: of, key: known, most: all } of groups) {
      const key: Record<string, string> = {};
      for (const part of parts) key[part] = known[part] ?? this.#unknown(of, part, all);
      const id = mapKeyOf(key, parts);
      const bound = this.#boundOf(Object.values(key));
      const most = Math.min(bound, all + (found.get(id)?.most ?? 0));
      found.set(id, { id, key, most });
    }
    return [...found.values()];
  }

  /** Returns the objects of an entity that others refer to by its key. */
  byKey(groups: readonly ObjectGroup[], entity: AnyEntity): readonly ObjectGroup[] {
    return this.keysOf(groups, entity.key).map((one) => ({ ...one, id: idOf(entity, one.key) }));
  }

  /**
   * Returns the objects contained in a parent, or read by its key.
   *
   * @param call equal for equal calls.
   * @param shares parts of the key in common with the parent.
   */
  below(
    parent: ObjectGroup,
    call: string,
    entity: AnyEntity | undefined,
    most: number,
    shares: readonly string[],
  ): ObjectGroup {
    const key: Record<string, string> = {};
    for (const part of shares) {
      key[part] = parent.key[part] ?? this.#unknown(parent.id, part, parent.most);
    }
    for (const part of entity?.key ?? []) key[part] ??= this.#unknown(call, part, most);
    return { id: entity ? idOf(entity, key) : call, key, most };
  }

  /** Upper bound of the keys formed by these ids: ids of one call come in tuples, one per object. */
  #boundOf(ids: readonly string[]): number {
    const calls = new Set(ids.map((id) => id.slice(0, id.indexOf('.') + 1)));
    return [...calls].reduce((bound, call) => product(bound, this.#most.get(call) ?? 1), 1);
  }

  /** @param most maximum number of objects of the call. */
  #unknown(call: string, part: string, most: number): string {
    let name = this.#names.get(call);
    if (name === undefined) this.#names.set(call, (name = `${UNKNOWN}${this.#names.size}.`));
    if (most > (this.#most.get(name) ?? 0)) this.#most.set(name, most);
    return name + part;
  }
}
