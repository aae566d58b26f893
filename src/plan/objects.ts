/**
 * Objects that nobody has seen yet, by what is known of their keys.
 *
 * The planner walks a selection once for all objects that stand at its place. What their keys hold is
 * a table: rows of parts that are known, and for each other part a name, because equal names mean
 * equal ids and so equal calls.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
import { textOf, type Key } from '../graph/entity/key.ts';

/** A key, all of whose parts are known. */
export interface KnownKey {
  readonly key: Key;
  /** Equal for equal keys. */
  readonly id: string;
}

/** Keys that nobody tells apart: a known one, or so many of which nothing is known. */
export interface KeyGroup {
  /** Equal for equal keys. */
  readonly id: string;
  /** How many there are at most. */
  readonly most: number;
}

/** Distinct keys. */
export interface Keys extends KeyGroup {
  /** Each of them, where all their parts are known. */
  readonly known: readonly KnownKey[] | undefined;
}

/** Short names for long texts. */
export class Names {
  readonly #names = new Map<string, string>();

  of(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) this.#names.set(text, (name = `#${this.#names.size}`));
    return name;
  }
}

/** What is known of the keys of objects. */
interface Table {
  /** The names of the parts that are known. */
  readonly parts: readonly string[];
  /** These parts, as often as they differ; one empty row where nothing is known. */
  readonly rows: readonly KnownKey[];
  /** What the objects have from others that is not known, by the name it has there. */
  readonly shared: ReadonlyMap<string, string>;
}

const NOTHING: Table = { parts: [], rows: [{ key: {}, id: '' }], shared: new Map() };

export class Objects {
  readonly entity: AnyEntity | undefined;
  /** How many there are at most, each counted once. */
  readonly most: number;
  readonly #names: Names;
  readonly #id: string;
  readonly #table: Table;
  readonly #keys = new Map<readonly string[], Keys>();

  private constructor(
    names: Names,
    id: string,
    entity: AnyEntity | undefined,
    most: number,
    table: Table,
  ) {
    this.entity = entity;
    this.most = most;
    this.#names = names;
    this.#id = names.of(id);
    this.#table = table;
  }

  /** What root fields are asked of. */
  static root(names: Names): Objects {
    return new Objects(names, 'root', undefined, 1, NOTHING);
  }

  /** The objects that have these keys. */
  static named(names: Names, entity: AnyEntity, keys: readonly Key[]): Objects {
    const parts = entity.key;
    const rows = distinct(parts, keys);
    const table = { parts, rows, shared: NOTHING.shared };
    const id = `${entity.name} ${names.of(idOf(rows))}`;
    return new Objects(names, id, entity, rows.length, table);
  }

  /** The parts of these names. */
  keys(parts: readonly string[]): Keys {
    let keys = this.#keys.get(parts);
    if (!keys) this.#keys.set(parts, (keys = this.#newKeys(parts)));
    return keys;
  }

  /** What these objects refer to by the parts that make the key of an entity. */
  referred(entity: AnyEntity): Objects {
    const { id, known, most } = this.keys(entity.key);
    return this.brought(`${entity.name} ${id}`, entity, known?.length ?? most, entity.key);
  }

  /**
   * What came with these objects, or was read by their keys.
   *
   * @param id names it among all that did.
   * @param most how many there are of it.
   * @param shares the parts that it has from them.
   */
  brought(
    id: string,
    entity: AnyEntity | undefined,
    most: number,
    shares: readonly string[],
  ): Objects {
    if (shares.length === 0) return new Objects(this.#names, id, entity, most, NOTHING);
    const known = this.#table.parts;
    const parts = known.every((part) => shares.includes(part))
      ? known
      : shares.filter((part) => known.includes(part));
    const shared = new Map<string, string>();
    for (const part of shares) if (!parts.includes(part)) shared.set(part, this.#unknown(part));
    const table = { parts, rows: this.#rows(parts), shared };
    return new Objects(this.#names, id, entity, most, table);
  }

  /** The parts of an entity's key that these objects are known to have too. */
  sharedWith(entity: AnyEntity): readonly string[] {
    const { parts, shared } = this.#table;
    return entity.key.filter(
      (part) => parts.includes(part) || shared.has(part) || this.entity?.key.includes(part),
    );
  }

  /** What names something that came with these objects. */
  nameOf(field: string): string {
    return `${this.#id}.${field}`;
  }

  #newKeys(parts: readonly string[]): Keys {
    const { parts: known } = this.#table;
    if (parts.every((part) => known.includes(part))) {
      const rows = this.#rows(parts);
      return { id: this.#names.of(idOf(rows)), known: rows, most: rows.length };
    }
    const ids = parts.map((part) =>
      known.includes(part) ? this.#names.of(idOf(this.#rows([part]))) : this.#unknown(part),
    );
    return { id: ids.join(' '), known: undefined, most: this.most };
  }

  #rows(parts: readonly string[]): readonly KnownKey[] {
    const { parts: known, rows } = this.#table;
    if (parts === known) return rows;
    return distinct(
      parts,
      rows.map(({ key }) => key),
    );
  }

  #unknown(part: string): string {
    return this.#table.shared.get(part) ?? `${part}@${this.#id}`;
  }
}

/** Parts of keys, each combination once. */
function distinct(parts: readonly string[], keys: readonly Key[]): readonly KnownKey[] {
  const found = new Map<string, KnownKey>();
  for (const key of keys) {
    const id = textOf(key, parts);
    if (found.has(id)) continue;
    // Keys of an entity have exactly its parts.
    const isWhole = Object.keys(key).length === parts.length;
    const own = isWhole ? key : Object.fromEntries(parts.map((part) => [part, key[part]!]));
    found.set(id, { key: own, id });
  }
  return [...found.values()];
}

const idOf = (rows: readonly KnownKey[]): string => rows.map(({ id }) => id).join();

/** The keys one by one where they are known, or else together. */
export const groupsOf = (keys: Keys): readonly KeyGroup[] =>
  keys.known?.map(({ id }) => ({ id, most: 1 })) ?? [keys];
