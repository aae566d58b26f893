/**
 * Objects before they are read, by what is known of their keys.
 *
 * The planner looks once at all objects that stand at a place. Parts of their keys that are known are
 * rows of a table; each other part has a name, because equal names mean equal ids and so equal calls.
 */
import type { AnyEntity } from '../graph/entity/entity.ts';
import { textOf, type Key } from '../graph/types/key.ts';

/** A key that is known, or so many keys of which nothing is. */
export interface KeyGroup {
  /** Equal for equal keys. */
  readonly id: string;
  /** How many keys there are at most. */
  readonly most: number;
  readonly key: Key | undefined;
}

/** Distinct keys. */
interface Keys {
  /** Equal for equal keys. */
  readonly id: string;
  readonly most: number;
  /** Each alone where they are known, or else all in one. */
  readonly groups: readonly KeyGroup[];
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

const NO_PARTS: readonly string[] = [];

export class Objects {
  readonly entity: AnyEntity | undefined;
  /** How many there are at most, each counted once. */
  readonly most: number;
  /** Equal for equal objects. */
  readonly id: string;
  readonly #names: Names;
  /** The names of the parts that are known, and these parts as often as they differ. */
  readonly #parts: readonly string[];
  readonly #rows: readonly KeyGroup[];
  /** The names of parts that are unknown and come from other objects. */
  readonly #shared = new Map<string, string>();
  readonly #keys = new Map<readonly string[], Keys>();

  private constructor(
    names: Names,
    id: string,
    entity: AnyEntity | undefined,
    most: number,
    parts: readonly string[],
    rows: readonly KeyGroup[],
  ) {
    this.#names = names;
    this.id = names.of(id);
    this.entity = entity;
    this.most = most;
    this.#parts = parts;
    this.#rows = rows;
  }

  /** What root fields are asked of. */
  static root(names: Names): Objects {
    return new Objects(names, 'root', undefined, 1, NO_PARTS, distinct(NO_PARTS, [{}]));
  }

  /** The objects that have these keys. */
  static named(names: Names, entity: AnyEntity, keys: readonly Key[]): Objects {
    const rows = distinct(entity.key, keys);
    const id = `${entity.name} ${idOf(names, rows)}`;
    return new Objects(names, id, entity, rows.length, entity.key, rows);
  }

  /** The parts of its key; none where it has no key. */
  get keyParts(): readonly string[] {
    return this.entity?.key ?? NO_PARTS;
  }

  /** The parts of these names. */
  keys(parts: readonly string[]): Keys {
    let keys = this.#keys.get(parts);
    if (!keys) this.#keys.set(parts, (keys = this.#newKeys(parts)));
    return keys;
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
    const parts = this.#parts.every((part) => shares.includes(part))
      ? this.#parts
      : shares.filter((part) => this.#parts.includes(part));
    const brought = new Objects(this.#names, id, entity, most, parts, this.#rowsOf(parts));
    for (const part of shares) {
      if (!parts.includes(part)) brought.#shared.set(part, this.#nameOf(part));
    }
    return brought;
  }

  /** The parts of an entity's key that these objects are known to have too. */
  sharedWith(entity: AnyEntity | undefined): readonly string[] {
    const has = (part: string): boolean =>
      this.#parts.includes(part) || this.#shared.has(part) || this.keyParts.includes(part);
    return entity?.key.filter(has) ?? NO_PARTS;
  }

  #newKeys(parts: readonly string[]): Keys {
    if (parts.every((part) => this.#parts.includes(part))) {
      const rows = this.#rowsOf(parts);
      return { id: idOf(this.#names, rows), most: rows.length, groups: rows };
    }
    const id = parts.map((part) => this.#nameOf(part)).join(' ');
    return { id, most: this.most, groups: [{ id, most: this.most, key: undefined }] };
  }

  #rowsOf(parts: readonly string[]): readonly KeyGroup[] {
    if (parts === this.#parts) return this.#rows;
    return distinct(
      parts,
      this.#rows.map(({ key }) => key!),
    );
  }

  #nameOf(part: string): string {
    if (this.#parts.includes(part)) return idOf(this.#names, this.#rowsOf([part]));
    return this.#shared.get(part) ?? `${part}@${this.id}`;
  }
}

/** Parts of keys, each combination once. */
function distinct(parts: readonly string[], keys: readonly Key[]): readonly KeyGroup[] {
  const found = new Map<string, KeyGroup>();
  for (const whole of keys) {
    const id = textOf(whole, parts);
    if (found.has(id)) continue;
    const key = Object.fromEntries(parts.map((part) => [part, whole[part]!]));
    found.set(id, { id, most: 1, key });
  }
  return [...found.values()];
}

const idOf = (names: Names, rows: readonly KeyGroup[]): string =>
  names.of(rows.map(({ id }) => id).join());
