/**
 * An entity is a type that has a key and can be read by it.
 *
 * The key is the ids of its REST path. Because the objects carry their own key, a key alone can
 * stand for an object wherever a query selects nothing more.
 */
import type { ObjectRef } from '@pothos/core';
import type { CallInput, CallOptions } from '../../rest/client/client.ts';
import { segmentFault } from '../../rest/client/path.ts';
import { parametersOf, type Route } from '../../v0/routes.ts';
import { perRequest, type Context } from '../context.ts';
import { badInput, cutAt } from '../errors.ts';
import type { List } from '../loading/list.ts';
import { Loader } from '../loading/loader.ts';
import { formatCursor } from '../types/cursor.ts';
import { NodeReference, textOf } from '../types/key.ts';
import {
  formatNodeId,
  parseNodeId,
  readNodeId,
  registerNodeType,
  type NodeKey,
} from '../types/node-id.ts';
import { nounOf, withArticle } from '../types/typename.ts';
import type { Types } from './schema-shape.ts';

export type KeyOf<Name extends string> = Readonly<Record<Name, string>>;

type EntityOptions<T extends object, Name extends string> = {
  readonly ref: ObjectRef<Types, T>;
  /** The key's fields, in the order of the REST path. */
  readonly key: readonly Name[];
  /** The list that `find` looks through where the backend lacks the route. */
  readonly searched?: (context: Context) => List;
  readonly alternateKeys?: readonly (readonly (keyof T & string)[])[];
} & (
  | {
      /** The route that answers an object by its key. */
      readonly route: Route<string, NoInfer<T>>;
      readonly find?: undefined;
    }
  | {
      /** The route that `find` costs. */
      readonly route: Route;
      /** One object by its key; null when there is none. */
      readonly find: (context: Context, key: KeyOf<Name>, call: CallOptions) => Promise<T | null>;
    }
);

/** An entity of any type: the keys that it takes come from itself, see `Loader`. */
export type AnyEntity = Entity<object, string>;

/** An entity of objects of a type, whatever their key is. */
export type EntityOf<T> = AnyEntity & { readonly ref: ObjectRef<Types, T> };

/** What one request has read of an entity. */
interface Reads<Key extends object, T> {
  /** Undefined until an object is asked for. */
  loader: Loader<Key, T | null> | undefined;
  /** Objects that came with other calls, whose keys were not read yet. */
  unread: (readonly unknown[])[];
}

export class Entity<T extends object, Name extends string> {
  readonly ref: ObjectRef<Types, T>;
  readonly key: readonly Name[];
  /** Fields that are answered by the key alone. */
  readonly keyFields: ReadonlySet<string>;
  /** The part of the key that is in the route's path. An entry of a topic is picked out of its topic. */
  readonly callKey: readonly Name[];
  readonly route: Route;
  readonly searched: ((context: Context) => List) | undefined;
  readonly alternateKeys: readonly (readonly string[])[];
  /** The parameters of the path, which the key fills in its order. */
  readonly #parameters: readonly string[];
  readonly #newLoader: (context: Context) => Loader<KeyOf<Name>, T | null>;
  readonly #reads = perRequest((): Reads<KeyOf<Name>, T> => ({ loader: undefined, unread: [] }));

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
    // A text already, where the key is one id.
    const idOf = (wanted: KeyOf<Name>) => (rest.length > 0 ? textOf(wanted, key) : wanted[first!]);
    this.#newLoader = (context) =>
      new Loader<KeyOf<Name>, T | null>(
        (wanted, call) =>
          find(context, wanted, call).catch((error: unknown) => {
            throw cutAt(error, () => ({ id: this.idOf(wanted) }));
          }),
        { idOf, onPrimed: (origin) => context.rest.journal.note(route, origin, 'primed') },
      );
    entities.set(ref.name, this);
    registerNodeType(ref.name);
    byIdField.set(key.at(-1)!, this);
  }

  get name(): string {
    return this.ref.name;
  }

  /** The key of an object; undefined when the backend left a part out, or the object altogether. */
  keyOf(object: unknown): KeyOf<Name> | undefined {
    if (typeof object !== 'object' || object === null) return undefined;
    const key: Partial<Record<Name, string>> = {};
    for (const name of this.key) {
      const part = (object as Record<string, unknown>)[name];
      if (typeof part !== 'string') return undefined;
      key[name] = part;
    }
    return key as KeyOf<Name>;
  }

  /**
   * The global id of the object with a key.
   *
   * @throws the error that stands where the backend broke a part.
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

  /** Stands for an object of which the backend gave the key only, and is read when more is selected. */
  reference(key: KeyOf<Name>): NodeReference {
    return new NodeReference(key);
  }

  /** Values for the path of a route that names the object. */
  pathOf(key: KeyOf<Name>): Readonly<Record<string, string>> {
    const path: Record<string, string> = {};
    for (let i = 0; i < this.#parameters.length; i++) {
      path[this.#parameters[i]!] = key[this.key[i]!];
    }
    return path;
  }

  /** The request's loader of these objects. */
  loader(context: Context): Loader<KeyOf<Name>, T | null> {
    const reads = this.#reads(context);
    const loader = (reads.loader ??= this.#newLoader(context));
    if (reads.unread.length > 0) {
      for (const objects of reads.unread) {
        for (const object of objects) {
          const key = this.keyOf(object);
          if (key) loader.prime(key, object as T); // it has the key of one
        }
      }
      reads.unread = [];
    }
    return loader;
  }

  /**
   * Primes the loader with objects that came with a list, a parent or a write; ignores those without a key. Their
   * keys are read when the loader is used: in most requests it is not.
   */
  prime(context: Context, objects: readonly unknown[]): void {
    this.#reads(context).unread.push(objects);
  }

  /**
   * The key in a global id.
   *
   * @param instead what to do with a raw id.
   * @throws BAD_USER_INPUT for what is no global id, and for the id of another type.
   */
  parseId(id: string, instead?: string): KeyOf<Name> {
    return this.keyFrom(parseNodeId(id, instead), id);
  }

  /**
   * The key that a caller names by the object's global id, or part by part: `audience(pageId:, audienceId:)`.
   *
   * @param given `id`, or a raw or a global id for each part of the key.
   * @throws BAD_USER_INPUT for an id of another type, for ids of different objects, and for raw ids
   *   that can't be part of a REST path.
   */
  callerKey(given: Readonly<Record<string, unknown>>): KeyOf<Name> {
    if (typeof given['id'] === 'string') {
      const names = this.key.map((name) => `"${name}"`);
      const parts = names.length > 1 ? `raw ids as ${names.join(', ')}` : `a raw id as ${names[0]}`;
      return this.parseId(given['id'], `pass ${parts}`);
    }
    const key: Record<string, string> = {};
    for (const name of this.key) {
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
    return this.checkKey(key as KeyOf<Name>);
  }

  /** As `parseId`, of what was read already. */
  keyFrom({ typename, parts }: NodeKey, id: string): KeyOf<Name> {
    if (typename !== this.name || parts.length !== this.key.length) {
      throw badInput(
        `"${shown(id)}" is the id of ${withArticle(typename)}: pass the id of ${withArticle(this.name)}.`,
      );
    }
    // keyOf's inverse: as many parts as names, checked above.
    return this.checkKey(
      Object.fromEntries(this.key.map((name, i) => [name, parts[i]])) as KeyOf<Name>,
    );
  }

  /**
   * Refuses raw ids that can't be part of this entity's REST path, before any call.
   *
   * @throws BAD_USER_INPUT naming the argument.
   */
  checkKey(key: KeyOf<Name>): KeyOf<Name> {
    for (const [i, name] of this.key.entries()) {
      const fault = segmentFault(key[name], this.#parameters[i]);
      if (fault) throw badInput(`"${name}" ${fault}.`, { argument: name });
    }
    return key;
  }

  /** The cursor of an object in an array, wherever it stands; by its index where the backend broke the key. */
  cursorIn(listId: string, object: unknown, index?: number): string {
    return formatCursor(listId, this.positionOf(object, index));
  }

  /** What a cursor says of an object in an array: the parts of its key as JSON, or its index. */
  positionOf(object: unknown, index?: number): string {
    const key = object instanceof NodeReference ? object.key : this.keyOf(object);
    return JSON.stringify(key ? this.key.map((name) => key[name]) : index);
  }
}

/** What a route takes whose parameters the compiler does not know. */
export const inputOf = (path: Readonly<Record<string, string>> | undefined, body?: unknown) =>
  ({ path, body }) as object as CallInput<string, unknown, unknown>;

const entities = new Map<string, AnyEntity>();

/** The entity of a type name; undefined for a type without one. */
export const findEntity = (typename: string): AnyEntity | undefined => entities.get(typename);

/** By the name of the field, argument or input that holds an entity's own raw id: `pageId` is a Page's. */
const byIdField = new Map<string, AnyEntity>();

/** How an argument or input field that takes a raw or a global id is described. */
export const describeId = (name: string): string =>
  `Raw id (\`${name}\`) or global id (\`id\`) of the ${nounOf(byIdField.get(name)?.name ?? '')}.`;

/**
 * The raw id, or all ids in a global id, by their names. Assumed: no raw id of the backend is written like
 * a global id, which ends in a checksum.
 */
function partsOf(name: string, id: string): Readonly<Record<string, string>> {
  const global = readNodeId(id);
  if (!global) return { [name]: id };
  const wanted = byIdField.get(name);
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
    `"${name}" is the global id of ${withArticle(given)}: pass ${wanted === undefined ? 'the raw id that the backend has for it' : `the raw or the global id of ${withArticle(wanted)}`}.`,
    { argument: name },
  );

/** As much of a caller's id as an error shows. */
const shown = (id: string): string => id.slice(0, 64);
