/**
 * Prefetching: starts calls as soon as their keys are known.
 *
 * When an object is loaded by its key, calls below it that require only this key start at the same time instead of
 * after it. An object of which only the key is selected is not loaded. Arguments and keys computed here are kept for
 * the field's resolver.
 */
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { argumentsOf } from '../../execution/operation/arguments.ts';
import type { OperationContext } from '../../execution/operation/collect-fields.ts';
import { isSameId } from '../../lib/same-id.ts';
import { hasKind, isNotFound } from '../../rest/call/errors.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import { perRequest, type Context } from '../context.ts';
import type { List, ListPage } from '../loading/list.ts';
import type { Abandon } from '../loading/loader.ts';
import { pageOf, pageRequestOf, type PageRequest } from '../loading/page-request.ts';
import type { Key } from '../types/key.ts';
import type { ReferenceRequirement } from './requirement.ts';
import type { AnyEntity } from './entity.ts';
import { selectionOf, type KeyField } from './selection.ts';

/** The selection of objects: field nodes and response path. */
type SelectionInfo = OperationContext & Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** Loads the object that a parent refers to; null if there is none. */
export function followReference(
  requirement: ReferenceRequirement,
  parent: object,
  context: Context,
  info: GraphQLResolveInfo,
): object | null | Promise<object | null> {
  const { entity } = requirement;
  const started = startedBelow(context).get(parent)?.references.get(info.fieldNodes[0]!);
  if (started && isSelection(started.nodes, info.fieldNodes)) {
    return followKey(entity, started.key, context, info, started.calls);
  }
  const key = requirement.key(parent);
  return key && followKey(entity, key, context, info);
}

/**
 * Loads an object by a key from the backend; null if it does not exist.
 *
 * Costs no call when only its key is selected: the backend's references are trusted.
 */
export function followKey(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
  calls = startBelow(entity, key, context, info),
): object | Promise<object | null> {
  if (calls.needsObject) return load(entity, key, context, info, calls);
  return attach(context, keyOnly(key), calls);
}

/**
 * Loads an object by a caller's key; null if it does not exist.
 *
 * A caller's id is not trusted. If only the key is selected, a call below the object that is made anyway shows whether
 * it exists; otherwise the object is loaded.
 */
export function lookUp(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  const calls = startBelow(entity, key, context, info);
  if (calls.needsObject || !calls.proof) return load(entity, key, context, info, calls);
  return provesParent(calls.proof, context).then((exists) => {
    if (exists) return attach(context, keyOnly(key), calls);
    if (exists === undefined) return load(entity, key, context, info, calls);
    calls.abandon();
    return null;
  });
}

/** Starts the calls below an object that is already loaded. */
export function startFrom(
  entity: AnyEntity,
  object: object,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const key = entity.keyOf(object);
  if (key) attach(context, object, startBelow(entity, key, context, info));
}

/** Returns the prefetched page request of a list field; undefined without one. */
export const prefetchedRequest = (
  context: Context,
  parent: object,
  info: GraphQLResolveInfo,
): PageRequest | undefined => startedBelow(context).get(parent)?.requests.get(info.fieldNodes[0]!);

/** Whether the parent of a list exists; undefined if the list's response does not show it. */
function provesParent(
  { list, page, path }: StartedPage,
  { rest }: Context,
): Promise<boolean | undefined> {
  const read = () => list.read(page, { origin: path }).then(() => true);
  const exists = list.route
    ? readBy<boolean | undefined>(list.route, rest.capabilities, read, async () => undefined)
    : read();
  // A rejected cursor does not show whether the parent exists.
  return exists.catch((error: unknown) =>
    hasKind(error, 'cursor') ? undefined : !isNotFound(error),
  );
}

function load(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
  calls: StartedCalls,
): Promise<object | null> {
  const loaded = entity.loader(context).load(key, info.path);
  if (calls.isEmpty) return loaded;
  return loaded.then(
    (object) => {
      if (!object) calls.abandon();
      // The backend may return another object; its calls are not used then.
      else if (entity.key.every((name) => isSameId((object as Key)[name], key[name]!))) {
        attach(context, object, calls);
      }
      return object;
    },
    (error: unknown) => {
      calls.abandon();
      throw error;
    },
  );
}

/** Calls started below objects that have arrived. */
const startedBelow = perRequest(() => new Map<object, StartedCalls>());

const keyOnly = (key: Key): object => ({ ...key });

function attach(context: Context, object: object, calls: StartedCalls): object {
  if (!calls.isEmpty) startedBelow(context).set(object, calls);
  return object;
}

interface StartedPage {
  readonly list: List;
  readonly page: ListPage;
  readonly path: SelectionInfo['path'];
}

/** A reference whose calls were started. */
interface StartedReference {
  readonly nodes: readonly FieldNode[];
  readonly key: Key;
  /** Calls below its object. */
  readonly calls: StartedCalls;
}

/**
 * Whether nodes make up the same selection. One object can have several positions, in which a field of a shared fragment
 * is merged with different others.
 */
const isSelection = (some: readonly FieldNode[], others: readonly FieldNode[]): boolean =>
  some === others || (some.length === others.length && some.every((one, i) => one === others[i]));

/** Calls started below an object before it arrives. */
class StartedCalls {
  /** Whether a selected field requires the object itself. */
  readonly needsObject: boolean;
  /**
   * A list whose response shows whether the object exists. Not a closure: V8 allocates closures assigned to fields as
   * long-lived, and one here retained whole requests.
   */
  proof: StartedPage | undefined;
  readonly requests = new Map<FieldNode, PageRequest>();
  readonly references = new Map<FieldNode, StartedReference>();
  readonly #abandons: Abandon[] = [];

  constructor(needsObject: boolean) {
    this.needsObject = needsObject;
  }

  get isEmpty(): boolean {
    return this.#abandons.length === 0 && this.references.size === 0;
  }

  /** Cancels the started calls. Called if the object is missing. */
  abandon(): void {
    for (const abandon of this.#abandons) abandon();
    for (const { calls } of this.references.values()) calls.abandon();
  }

  /** Starts the call of a field. @throws for invalid arguments. */
  start(field: KeyField, parent: Key, context: Context, info: SelectionInfo): void {
    const { requirement, definition } = field;
    const args = argumentsOf(info, definition, field.fieldNodes);
    const { path } = info;
    const node = info.fieldNodes[0]!;
    if (requirement.kind === 'list') {
      const request = pageRequestOf(requirement, parent, args, context);
      const { list } = request;
      const page = pageOf(request);
      this.requests.set(node, request);
      this.#abandons.push(list.start(page, path));
      if (requirement.proves) this.proof ??= { list, page, path };
    } else if (requirement.kind === 'load') {
      const key = requirement.key(parent, args, context);
      if (key) this.#abandons.push(requirement.loader(context).start(key, path));
    } else {
      const { entity } = requirement;
      const key = requirement.key(parent);
      if (!key) return;
      const calls = startBelow(entity, key, context, info);
      if (calls.needsObject) this.#abandons.push(entity.loader(context).start(key, path));
      if (calls.needsObject || !calls.isEmpty) {
        this.references.set(node, { nodes: info.fieldNodes, key, calls });
      }
    }
  }
}

/** Shared results of `startBelow` without calls. */
const OBJECT_ONLY = new StartedCalls(true);
const KEY_ONLY = new StartedCalls(false);

function startBelow(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: SelectionInfo,
): StartedCalls {
  if (context.prefetches === false) return OBJECT_ONLY;
  const { schema, fragments, variableValues } = info;
  // An entity is created with an ObjectRef, so its name is that of an object type.
  const type = schema.getType(entity.name) as GraphQLObjectType;
  const { capabilities } = context.rest;
  const { keyFields, needsObject } = selectionOf(info, type, info.fieldNodes, capabilities);
  if (keyFields.length === 0) return needsObject ? OBJECT_ONLY : KEY_ONLY;
  const calls = new StartedCalls(needsObject);
  for (const field of keyFields) {
    const { fieldNodes } = field;
    const path = { prev: info.path, key: field.key, typename: type.name };
    try {
      calls.start(field, key, context, { schema, fragments, variableValues, fieldNodes, path });
    } catch {
      // The field's resolver reports the error.
    }
  }
  return calls;
}
