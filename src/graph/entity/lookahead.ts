/**
 * Look-ahead: starts calls as soon as their keys are known.
 *
 * When an object is loaded by its key, calls below it that require only this key start at the same time instead of
 * after it. An object of which only the key is selected is not loaded. Arguments and keys computed here are kept for
 * the field's resolver.
 */
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { argumentsOf } from '../../execution/operation/arguments.ts';
import type { OperationContext } from '../../execution/operation/collect-fields.ts';
import { isNotFound } from '../../rest/call/errors.ts';
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
  const begun = begunBelow(context).get(parent)?.references.get(info.fieldNodes[0]!);
  if (begun) return followKey(entity, begun.key, context, info, begun.ahead);
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
  ahead = startBelow(entity, key, context, info),
): object | Promise<object | null> {
  if (ahead.needsObject) return load(entity, key, context, info, ahead);
  return keep(context, standIn(key), ahead);
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
  const ahead = startBelow(entity, key, context, info);
  const { needsObject, proof } = ahead;
  if (needsObject || !proof) return load(entity, key, context, info, ahead);
  return provesParent(proof, context).then((exists) => {
    if (exists) return keep(context, standIn(key), ahead);
    if (exists === undefined) return load(entity, key, context, info, ahead);
    ahead.abandon();
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
  if (key) keep(context, object, startBelow(entity, key, context, info));
}

/** Returns the page request that look-ahead made for a list field; undefined if it did not start it. */
export const requestAhead = (
  context: Context,
  parent: object,
  info: GraphQLResolveInfo,
): PageRequest | undefined => begunBelow(context).get(parent)?.requests.get(info.fieldNodes[0]!);

/** Whether the parent of a list exists; undefined if the list's route is found to be missing. */
function provesParent(
  { list, page, path }: ListAhead,
  { rest }: Context,
): Promise<boolean | undefined> {
  const read = () => list.read(page, { origin: path }).then(() => true);
  const exists = list.route
    ? readBy<boolean | undefined>(list.route, rest.capabilities, read, async () => undefined)
    : read();
  return exists.catch((error: unknown) => !isNotFound(error));
}

function load(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
  ahead: BegunCalls,
): Promise<object | null> {
  const loaded = entity.loader(context).load(key, info.path);
  // Fast path: most references have nothing below them.
  if (ahead.isEmpty) return loaded;
  return loaded.then(
    (object) => {
      if (!object) ahead.abandon();
      // The backend may return another object; its calls are not used then.
      else if (entity.key.every((name) => key[name] === (object as Key)[name])) {
        keep(context, object, ahead);
      }
      return object;
    },
    (error: unknown) => {
      ahead.abandon();
      throw error;
    },
  );
}

/** Calls started below objects that have arrived. */
const begunBelow = perRequest(() => new Map<object, BegunCalls>());

/** An object with the fields of its key only. */
const standIn = (key: Key): object => ({ ...key });

function keep(context: Context, object: object, ahead: BegunCalls): object {
  if (!ahead.isEmpty) begunBelow(context).set(object, ahead);
  return object;
}

/** A started page of a list. */
interface ListAhead {
  readonly list: List;
  readonly page: ListPage;
  readonly path: SelectionInfo['path'];
}

/** Calls started below an object before it arrives. */
class BegunCalls {
  /** Whether a selected field requires the object itself. */
  readonly needsObject: boolean;
  /** Whether no call was started. */
  isEmpty = true;
  /**
   * A list whose response shows whether the object exists. Not a closure: V8 allocates closures assigned to fields as
   * long-lived, and one here retained whole requests.
   */
  proof: ListAhead | undefined;
  readonly requests = new Map<FieldNode, PageRequest>();
  readonly references = new Map<FieldNode, { readonly key: Key; readonly ahead: BegunCalls }>();
  readonly #begun: Abandon[] = [];

  constructor(needsObject: boolean) {
    this.needsObject = needsObject;
  }

  /** Cancels the started calls. Called if the object is missing. */
  abandon(): void {
    for (const abandon of this.#begun) abandon();
    for (const { ahead } of this.references.values()) ahead.abandon();
  }

  #add(abandon: Abandon): void {
    this.isEmpty = false;
    this.#begun.push(abandon);
  }

  /** Starts the call of a field. @throws for invalid arguments. */
  begin(field: KeyField, parent: Key, context: Context, info: SelectionInfo): void {
    const { requirement, definition } = field;
    const args = argumentsOf(info, definition, field);
    if (!args) return;
    const { path } = info;
    const node = info.fieldNodes[0]!;
    if (requirement.kind === 'list') {
      const request = pageRequestOf(requirement, parent, args, context);
      const { list } = request;
      const page = pageOf(request);
      this.requests.set(node, request);
      this.#add(list.start(page, path));
      if (requirement.proves) this.proof ??= { list, page, path };
    } else if (requirement.kind === 'load') {
      const key = requirement.key(parent, args, context);
      if (key) this.#add(requirement.loader(context).start(key, path));
    } else {
      const { entity } = requirement;
      const key = requirement.key(parent);
      if (!key) return;
      const ahead = startBelow(entity, key, context, info);
      this.references.set(node, { key, ahead });
      this.isEmpty &&= ahead.isEmpty;
      if (ahead.needsObject) this.#add(entity.loader(context).start(key, path));
    }
  }
}

/** Shared instances without calls: most selections require only the object or its key. */
const OBJECT_ALONE = new BegunCalls(true);
const KEY_ALONE = new BegunCalls(false);

function startBelow(
  entity: AnyEntity,
  key: Key,
  context: Context,
  info: SelectionInfo,
): BegunCalls {
  if (context.looksAhead === false) return OBJECT_ALONE;
  const { schema, fragments, variableValues } = info;
  // An entity is created with an ObjectRef, so its name is that of an object type.
  const type = schema.getType(entity.name) as GraphQLObjectType;
  const { capabilities } = context.rest;
  const { keyFields, needsObject } = selectionOf(info, type, info.fieldNodes, capabilities);
  if (keyFields.length === 0) return needsObject ? OBJECT_ALONE : KEY_ALONE;
  const ahead = new BegunCalls(needsObject);
  for (const field of keyFields) {
    const { fieldNodes } = field;
    const path = { prev: info.path, key: field.key, typename: type.name };
    try {
      ahead.begin(field, key, context, { schema, fragments, variableValues, fieldNodes, path });
    } catch {
      // The field's resolver reports the error.
    }
  }
  return ahead;
}
