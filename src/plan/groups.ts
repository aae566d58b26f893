/**
 * Objects before they are read, by what is known of their keys.
 *
 * A name stands for an id that only the backend knows: that of the call that brings it. Equal texts are equal ids,
 * and so equal calls.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
import { textOf, type Key } from '../graph/types/key.ts';
import { product } from './count.ts';

/** One object, or all that one call brings. */
export interface Group {
  /** Equal for equal objects; of entities, as `idOf` writes it. */
  readonly id: string;
  /** All parts of the entity's key, and others that are shared with what was read before. */
  readonly key: Key;
  /** How many objects there are at most. */
  readonly most: number;
}

/** The parent of root fields. */
export const ROOT: Group = { id: '', key: {}, most: 1 };

/** Begins the names of unknown ids: callers' ids have no control characters. */
const UNKNOWN = '\0';

/** Whether a key names one object. */
export function isKnown(key: Key): boolean {
  for (const part in key) if (key[part]!.startsWith(UNKNOWN)) return false;
  return true;
}

/** Names an entity's object by its key, or by an alternate one. */
export const idOf = ({ name, key: parts }: AnyEntity, key: Key, names = parts): string =>
  `${name} ${textOf(key, names)}`;

export class Groups {
  /** Short names for long texts. */
  readonly #names = new Map<string, string>();
  readonly #most = new Map<string, number>();

  /** The keys that objects have under these names, each once. */
  keysOf(groups: readonly Group[], parts: readonly string[]): readonly Group[] {
    const found = new Map<string, Group>();
    for (const { id: of, key: known, most: all } of groups) {
      const key: Record<string, string> = {};
      for (const part of parts) key[part] = known[part] ?? this.#unknown(of, part, all);
      const id = textOf(key, parts);
      const bound = this.#boundOf(Object.values(key));
      const most = Math.min(bound, all + (found.get(id)?.most ?? 0));
      found.set(id, { id, key, most });
    }
    return [...found.values()];
  }

  /** The objects of an entity that others refer to by its key. */
  referred(groups: readonly Group[], entity: AnyEntity): readonly Group[] {
    return this.keysOf(groups, entity.key).map(({ key, most }) => ({
      id: idOf(entity, key),
      key,
      most,
    }));
  }

  /**
   * What comes with objects, or is read by their keys.
   *
   * @param call equal for equal calls.
   * @param shares the parts of its key that it has from them.
   */
  returned(
    call: string,
    entity: AnyEntity | undefined,
    most: number,
    from: Group,
    shares: readonly string[],
  ): Group {
    const key: Record<string, string> = {};
    for (const part of shares)
      key[part] = from.key[part] ?? this.#unknown(from.id, part, from.most);
    for (const part of entity?.key ?? []) key[part] ??= this.#unknown(call, part, most);
    return { id: entity ? idOf(entity, key) : call, key, most };
  }

  /** The most keys that these ids make: ids of one call come in tuples, one for each object. */
  #boundOf(ids: readonly string[]): number {
    const calls = new Set(ids.map((id) => id.slice(0, id.indexOf('.') + 1)));
    return [...calls].reduce((bound, call) => product(bound, this.#most.get(call) ?? 1), 1);
  }

  /** @param most how many objects the call brings. */
  #unknown(call: string, part: string, most: number): string {
    let name = this.#names.get(call);
    if (name === undefined) this.#names.set(call, (name = `${UNKNOWN}${this.#names.size}.`));
    if (most > (this.#most.get(name) ?? 0)) this.#most.set(name, most);
    return name + part;
  }
}
