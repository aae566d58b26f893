/**
 * An entity is a type that has a key and can be read by it.
 *
 * The key consists of the ids of its REST path. Objects contain their key, so a key replaces its object if nothing
 * else is selected.
 */
import type { ObjectRef } from '@pothos/core';
import type { CallInput, CallOptions } from '../../rest/client/client.ts';
import { isSameId } from '../../lib/same-id.ts';
import { segmentFault } from '../../rest/client/path.ts';
import { parametersOf, type Route } from '../../v0/routes.ts';
import { perRequest, type Context } from '../context.ts';
import { badInput, cutAt } from '../errors.ts';
import type { List } from '../loading/list.ts';
import { Loader } from '../loading/loader.ts';
import { NodeReference, mapKeyOf } from '../types/key.ts';
import {
  formatNodeId,
  parseNodeId,
  readNodeId,
  registerNodeType,
  type NodeKey,
} from '../types/node-id.ts';
import type { NodePage } from '../types/node-page.ts';
import type { ScalarTypes } from '../types/scalars.ts';

/** Type parameters of the schema builder. A type, since interfaces lack the index signature that Pothos requires. */
export type SchemaShape = {
  Context: Context;
  Scalars: ScalarTypes;
  DefaultFieldNullability: false;
  DefaultNodeNullability: true;
  DefaultEdgesNullability: { list: false; items: false };
  /** Additional fields of connections. */
  Connection: Pick<NodePage<unknown>, 'nodes' | 'totalCount'>;
};

/** Type parameters as completed by Pothos. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

export type KeyOf<Name extends string> = Readonly<Record<Name, string>>;

type EntityOptions<T extends object, Name extends string> = {
  readonly ref: ObjectRef<Types, T>;
  /** The key's fields, in the order of the REST path. */
  readonly key: readonly Name[];
  /** The list that `find` searches if the backend lacks the route. */
  readonly searched?: (context: Context) => List;
  readonly alternateKeys?: readonly (readonly (keyof T & string)[])[];
} & (
  | {
      readonly route: Route<string, NoInfer<T>>;
      readonly find?: undefined;
    }
  | {
      readonly route: Route;
      /** Reads an object by its key; null if it does not exist. */
      readonly find: (context: Context, key: KeyOf<Name>, call: CallOptions) => Promise<T | null>;
    }
);

/** An entity of any type. Its keys come from the entity itself, see `Loader`. */
export type AnyEntity = Entity<object, string>;

export type EntityOf<T> = AnyEntity & { readonly ref: ObjectRef<Types, T> };

export class Entity<T extends object, Name extends string> {
  readonly ref: ObjectRef<Types, T>;
  readonly key: readonly Name[];
  /** Fields that the key provides. */
  readonly keyFields: ReadonlySet<string>;
  /** The part of the key in the route's path. A topic entry, for example, is read with its topic. */
  readonly callKey: readonly Name[];
  readonly route: Route;
  readonly searched: ((context: Context) => List) | undefined;
  readonly alternateKeys: readonly (readonly string[])[];
  /** Parameters of the path, in the order of the key. */
  readonly #parameters: readonly string[];
  readonly #newLoader: (context: Context) => Loader<KeyOf<Name>, T | null>;
  readonly #reads = perRequest(() => ({
    loader: undefined as Loader<KeyOf<Name>, T | null> | undefined,
    /** Objects of other calls that are not primed yet. */
    unread: [] as (readonly unknown[])[],
  }));

  constructor(options: EntityOptions<T, Name>) {
    const { ref, key, route, searched, alternateKeys = [] } = options;
    const find =
      options.find ??
      (({ rest }: Context, wanted: KeyOf<Name>, call: CallOptions) =>
        rest.find(options.route, inputOf(this.pathOf(wanted)), call));
    this.ref = ref;
    this.key = key;
    this.route = route;
    this.searched = searched;
    this.alternateKeys = alternateKeys;
    const [first, ...rest] = key;
    this.keyFields = new Set<string>(['id', '__typename', ...key]);
    this.#parameters = parametersOf(route.path);
    this.callKey = key.slice(0, this.#parameters.length);
    // A single ID is already a string.
    const idOf = (wanted: KeyOf<Name>) =>
      rest.length > 0 ? mapKeyOf(wanted, key) : wanted[first!];
    this.#newLoader = (context) =>
      new Loader<KeyOf<Name>, T | null>(
        (wanted, call) =>
          find(context, wanted, call).catch((error: unknown) => {
            throw cutAt(error, () => ({ id: this.idOf(wanted) }));
          }),
        { idOf, onPrimed: (origin) => context.rest.callLog.note(route, origin, 'primed') },
      );
    entities.set(ref.name, this);
    registerNodeType(ref.name);
    byIdField.set(key.at(-1)!, this);
  }

  get name(): string {
    return this.ref.name;
  }

  /** Returns the key of an object; undefined if the object or a part of the key is missing, or unusable in a path. */
  keyOf(object: unknown): KeyOf<Name> | undefined {
    if (typeof object !== 'object' || object === null) return undefined;
    const key: Partial<Record<Name, string>> = {};
    for (const name of this.key) {
      const part = (object as Record<string, unknown>)[name];
      if (typeof part !== 'string' || segmentFault(part) !== undefined) return undefined;
      key[name] = part;
    }
    return key as KeyOf<Name>;
  }

  /**
   * Returns the global id of a key.
   *
   * @throws the error that replaces an invalid part; UPSTREAM_INVALID_RESPONSE for one that is unusable in a path.
   */
  idOf(key: KeyOf<Name>): string {
    const parts: string[] = [];
    for (const name of this.key) {
      const part: unknown = key[name];
      if (part instanceof Error) throw part;
      parts.push(part as string);
    }
    return formatNodeId(this.name, parts);
  }

  /** Creates references to the distinct ids of a response. Errors that replace invalid IDs stay, empty ids do not. */
  references(ids: readonly unknown[], toKey: (id: string) => KeyOf<Name>): NodeReference[] {
    return [...new Set(ids)].flatMap((id) => {
      if (id instanceof Error) return id as unknown as NodeReference;
      return typeof id === 'string' && id !== '' ? new NodeReference(toKey(id)) : [];
    });
  }

  pathOf(key: KeyOf<Name>): Readonly<Record<string, string>> {
    const path: Record<string, string> = {};
    for (let i = 0; i < this.#parameters.length; i++) {
      path[this.#parameters[i]!] = key[this.key[i]!];
    }
    return path;
  }

  loader(context: Context): Loader<KeyOf<Name>, T | null> {
    const reads = this.#reads(context);
    const loader = (reads.loader ??= this.#newLoader(context));
    if (reads.unread.length > 0) {
      for (const objects of reads.unread) {
        for (const object of objects) {
          const key = this.keyOf(object);
          if (key) loader.prime(key, object as T); // has the key of one
        }
      }
      reads.unread = [];
    }
    return loader;
  }

  /**
   * Primes the loader with objects of a list, a parent or a write; ignores those without a key. Deferred to the
   * loader's first use, since most requests do not use it.
   */
  prime(context: Context, objects: readonly unknown[]): void {
    this.#reads(context).unread.push(objects);
  }

  /**
   * Parses a global id.
   *
   * @param instead advice in the error for a raw id.
   * @throws BAD_USER_INPUT for an invalid global id, or the id of another type.
   */
  parseId(id: string, instead?: string): KeyOf<Name> {
    return this.keyFrom(parseNodeId(id, instead), id);
  }

  /**
   * Returns the key given by a caller: as the object's global id, or part by part, as in `audience(pageId:,
   * audienceId:)`.
   *
   * @param given `id`, or a raw or a global id for each part of the key.
   * @throws BAD_USER_INPUT for an id of another type, for ids of different objects, and for raw ids
   *   that can't be part of a REST path.
   */
  callerKey(given: Readonly<Record<string, unknown>>): KeyOf<Name> {
    if (typeof given['id'] === 'string') {
      const names = this.key.map((name) => `\`${name}\``);
      const parts = names.length > 1 ? `raw IDs as ${names.join(', ')}` : `a raw ID as ${names[0]}`;
      return this.parseId(given['id'], `pass ${parts}`);
    }
    const key: Record<string, string> = {};
    for (const name of this.key) {
      for (const [part, id] of Object.entries(partsOf(name, String(given[name])))) {
        const known = (key[part] ??= id);
        if (isSameId(known, id)) continue;
        throw badInput(
          `\`${name}\` is a global ID with the ${part} "${excerpt(id)}", but another argument has the ${part} "${excerpt(known)}". Pass IDs of the same object.`,
          { argument: name },
        );
      }
    }
    // Every part of the key was given by name.
    return this.checkKey(key as KeyOf<Name>);
  }

  /** Like `parseId`, for a parsed id. */
  keyFrom({ typename, parts }: NodeKey, id: string): KeyOf<Name> {
    if (typename !== this.name || parts.length !== this.key.length) {
      throw badInput(
        `"${excerpt(id)}" is the ID of ${withArticle(typename)}. Pass the ID of ${withArticle(this.name)}.`,
      );
    }
    // Inverse of `keyOf`; the number of parts is checked above.
    return this.checkKey(
      Object.fromEntries(this.key.map((name, i) => [name, parts[i]])) as KeyOf<Name>,
    );
  }

  /**
   * Rejects raw ids that cannot be part of this entity's REST path, before any call.
   *
   * @throws BAD_USER_INPUT naming the argument.
   */
  checkKey(key: KeyOf<Name>): KeyOf<Name> {
    this.key.forEach((name, i) => {
      const fault = segmentFault(key[name], this.#parameters[i]);
      if (fault) throw badInput(`\`${name}\` ${fault}.`, { argument: name });
    });
    return key;
  }
}

/** Input of a route whose parameters are not known at compile time. */
export const inputOf = (path: Readonly<Record<string, string>> | undefined, body?: unknown) =>
  ({ path, body }) as object as CallInput<string, unknown, unknown>;

const entities = new Map<string, AnyEntity>();

/** The entity of a type name; undefined for a type without one. */
export const findEntity = (typename: string): AnyEntity | undefined => entities.get(typename);

const byIdField = new Map<string, AnyEntity>();

export const describeId = (name: string): string =>
  `Raw ID (\`${name}\`) or global ID (\`id\`) of the ${nounOf(byIdField.get(name)?.name ?? '')}.`;

/**
 * Returns the raw id, or all ids of a global id, by name. Assumed: no raw id of the backend has the form of a global
 * id, which includes a checksum.
 */
function partsOf(name: string, id: string): Readonly<Record<string, string>> {
  const global = readNodeId(id);
  if (!global) return { [name]: id };
  const wanted = byIdField.get(name);
  if (wanted?.name === global.typename) return wanted.keyFrom(global, id);
  throw wrongType(name, global.typename, wanted?.name);
}

/**
 * Checks a raw id of an object without a global id.
 *
 * @throws BAD_USER_INPUT for a global id, which the backend does not know.
 */
export function rawId<Id extends string | null | undefined>(name: string, id: Id): Id {
  const global = typeof id === 'string' ? readNodeId(id) : undefined;
  if (global) throw wrongType(name, global.typename, undefined);
  return id;
}

const wrongType = (name: string, given: string, wanted: string | undefined) =>
  badInput(
    `\`${name}\` is the global ID of ${withArticle(given)}. Pass ${wanted === undefined ? 'a raw ID' : `the raw or global ID of ${withArticle(wanted)}`}.`,
    { argument: name },
  );

/** A name with its article: `a Page`, `an account`. */
export const withArticle = (name: string): string =>
  `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;

/** A type name as a noun: `AudienceVersion` is an `audience version`. */
export const nounOf = (typename: string): string =>
  typename.replace(/(?!^)(?=[A-Z])/g, ' ').toLowerCase();

/** A type name as the name of a field: `AudienceVersion` is `audienceVersion`. */
export const fieldNameOf = (typename: string): string =>
  `${typename.charAt(0).toLowerCase()}${typename.slice(1)}`;

const excerpt = (id: string): string => id.slice(0, 64);
