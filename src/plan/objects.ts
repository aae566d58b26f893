/**
 * Objects that nobody has seen yet, by what is known of their keys.
 *
 * The planner walks a selection once for all objects that stand at its place. What their keys hold is
 * a table: rows of parts that are known, and for each other part a name, because equal names mean
 * equal ids and so equal calls.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
import { textOf, type Key } from '../graph/entity/key.ts';

/** Distinct keys. */
export interface Keys {
  /** Equal for equal keys. */
  readonly id: string;
  /** Each of them, where all their parts are known. */
  readonly rows: readonly Key[] | undefined;
  /** How many there are at most. */
  readonly most: number;
}

/** Keys that nobody tells apart: one, or as many of which nothing is known. */
export type KeyGroup = Pick<Keys, 'id' | 'most'>;

export const groupsOf = (keys: Keys): readonly KeyGroup[] =>
  keys.rows?.map((row) => ({ id: textOf(row), most: 1 })) ?? [keys];

/** Short names for long texts. */
export class Names {
  readonly #names = new Map<string, string>();

  of(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) this.#names.set(text, (name = `#${this.#names.size}`));
    return name;
  }
}

/** What is known of objects. */
interface Known {
  readonly entity: AnyEntity | undefined;
  /** How many there are at most, each counted once. */
  readonly most: number;
  /** The names of the parts that are known. */
  readonly parts: readonly string[];
  /** These parts, as often as they differ; one empty row where nothing is known. */
  readonly rows: readonly Key[];
  /** What the objects have from others, by the name it has there. */
  readonly shared: ReadonlyMap<string, string>;
}

export class Objects {
  readonly entity: AnyEntity | undefined;
  readonly most: number;
  readonly #names: Names;
  readonly #id: string;
  readonly #known: Known;
  readonly #keys = new Map<readonly string[], Keys>();

  private constructor(names: Names, id: string, known: Known) {
    this.entity = known.entity;
    this.most = known.most;
    this.#names = names;
    this.#id = names.of(id);
    this.#known = known;
  }

  /** What root fields are asked of. */
  static root(names: Names): Objects {
    const known = { entity: undefined, most: 1, parts: [], rows: [{}], shared: new Map() };
    return new Objects(names, 'root', known);
  }

  /** The objects that have these keys. */
  static named(names: Names, entity: AnyEntity, keys: readonly Key[]): Objects {
    const rows = distinct(entity.key, keys);
    const id = `${entity.name} ${textsOf(entity.key, rows)}`;
    const shared = new Map<string, string>();
    return new Objects(names, id, { entity, most: rows.length, parts: entity.key, rows, shared });
  }

  /** The parts of these names. */
  keys(parts: readonly string[]): Keys {
    let keys = this.#keys.get(parts);
    if (!keys) this.#keys.set(parts, (keys = this.#newKeys(parts)));
    return keys;
  }

  /** What these objects refer to by the parts that make the key of an entity. */
  referred(entity: AnyEntity): Objects {
    const { id, rows, most } = this.keys(entity.key);
    if (rows) return Objects.named(this.#names, entity, rows);
    return this.#others(`${entity.name} ${id}`, entity, most, entity.key);
  }

  /**
   * What came with these objects, or was read by their keys.
   *
   * @param id names it among all that did.
   * @param shares the parts that it has from them.
   */
  brought(
    id: string,
    entity: AnyEntity | undefined,
    most: number,
    shares: readonly string[],
  ): Objects {
    return this.#others(id, entity, most, shares);
  }

  /** The parts of an entity's key that these objects are known to have too. */
  sharedWith(entity: AnyEntity): readonly string[] {
    return entity.key.filter((part) => this.#has(part));
  }

  /** What names something that came with these objects. */
  nameOf(field: string): string {
    return `${this.#id}.${field}`;
  }

  #others(
    id: string,
    entity: AnyEntity | undefined,
    most: number,
    shares: readonly string[],
  ): Objects {
    const parts = shares.filter((part) => this.#known.parts.includes(part));
    const rows = distinct(parts, this.#known.rows);
    const shared = new Map(
      shares
        .filter((part) => !parts.includes(part))
        .map((part) => [part, this.#unknown(part)] as const),
    );
    return new Objects(this.#names, id, { entity, most, parts, rows, shared });
  }

  #has(part: string): boolean {
    const { entity, parts, shared } = this.#known;
    return parts.includes(part) || shared.has(part) || (entity?.key.includes(part) ?? false);
  }

  #unknown(part: string): string {
    return this.#known.shared.get(part) ?? `${part}@${this.#id}`;
  }

  #newKeys(parts: readonly string[]): Keys {
    const { parts: known, rows } = this.#known;
    if (parts.every((part) => known.includes(part))) {
      const keys = distinct(parts, rows);
      return { id: this.#names.of(textsOf(parts, keys)), rows: keys, most: keys.length };
    }
    const id = parts
      .map((part) => (known.includes(part) ? this.#newKeys([part]).id : this.#unknown(part)))
      .join(' ');
    return { id, rows: undefined, most: this.most };
  }
}

/** Parts of rows, each combination once. */
function distinct(parts: readonly string[], rows: readonly Key[]): readonly Key[] {
  const found = new Map<string, Key>();
  for (const row of rows) {
    const text = textOf(row, parts);
    if (found.has(text)) continue;
    found.set(text, Object.fromEntries(parts.map((part) => [part, row[part]!])));
  }
  return [...found.values()];
}

const textsOf = (parts: readonly string[], rows: readonly Key[]): string =>
  rows.map((row) => textOf(row, parts)).join();
