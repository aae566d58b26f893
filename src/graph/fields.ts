/**
 * How rooms write fields that cost a call: what is demanded is said once, and look-ahead, the plan
 * and the resolver all follow from it.
 */
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { CallInput } from '../rest/client.ts';
import { isNotFound } from '../rest/errors.ts';
import type { Listed } from '../v0/list.ts';
import type { Route, RouteSet } from '../v0/routes.ts';
import type { Types } from './builder.ts';
import { readConnection, type Connection } from './connection.ts';
import type { Context } from './context.ts';
import { cutAt } from './continuation.ts';
import { demanding, type DemandSource, type ListDemand, type ObjectDemand } from './demand.ts';
import { findEntity, type Entity, type KeyOf } from './entity.ts';
import { soundKey } from './key.ts';
import { mapList, restList, type List } from './list.ts';
import { followReference, lookUp } from './lookahead.ts';
import { DEFAULT_FIRST, MAX_FIRST } from './page-request.ts';

/** A field builder of any object type or of the query type. */
type FieldBuilder<Parent> =
  | PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>
  | PothosSchemaTypes.QueryFieldBuilder<Types, Parent>;

/** The names of a list's query parameters beside `cursor` and `limit`. */
type Filters<Query> = Omit<NonNullable<Query>, 'cursor' | 'limit'>;

/** The half of a field builder that helpers use; its own type depends on where a field stands. */
interface AnyFieldBuilder {
  readonly arg: PothosSchemaTypes.ObjectFieldBuilder<Types, object>['arg'];
  field(options: object): never;
}

export interface ReferenceOptions<Parent, Name extends string> {
  readonly description: string;
  /** `key`: the key below can be read off the parent's key. */
  readonly from: DemandSource;
  /** The key of the object referred to; null when the reference is empty. */
  readonly key: (parent: Parent) => KeyOf<Name> | null;
}

/** A reference to one object: `Audience.person`. Free when only its key is selected. */
export function referenceField<
  Parent extends object,
  T extends object,
  Name extends keyof T & string,
>(
  t: FieldBuilder<Parent>,
  entity: Entity<T, Name>,
  { description, from, key }: ReferenceOptions<Parent, Name>,
) {
  const demand = {
    kind: 'object',
    from,
    entity: entity as unknown as Entity,
    // Only ever called with this field's own parents.
    key: key as unknown as ObjectDemand['key'],
  } as const satisfies ObjectDemand;
  return anyBuilder(t).field({
    type: entity.ref,
    nullable: true,
    description: costing(description, entity.route),
    extensions: demanding(demand),
    resolve: (parent: Parent, _args: object, context: Context, info: GraphQLResolveInfo) => {
      const wanted = key(parent);
      return wanted && followReference(entity, soundKey(wanted), context, info);
    },
  });
}

/** A lookup by raw REST ids: `page(pageId:)`. Null when there is none. */
export function lookupField<T extends object, Name extends keyof T & string>(
  t: FieldBuilder<{}>,
  entity: Entity<T, Name>,
  description: string,
) {
  const { arg, field } = bound(anyBuilder(t));
  return field({
    type: entity.ref,
    nullable: true,
    description: costing(description, entity.route),
    args: Object.fromEntries(
      entity.key.map((name) => [
        name,
        arg.id({ required: true, description: `The id REST knows it by: \`${name}\`.` }),
      ]),
    ),
    extensions: demanding({
      kind: 'object',
      from: 'key',
      entity: entity as unknown as Entity,
      key: (_parent, args) => entity.checkKey(args as KeyOf<Name>),
    }),
    resolve: (_parent: object, args: KeyOf<Name>, context: Context, info: GraphQLResolveInfo) =>
      lookUp(entity, entity.checkKey(args), context, info),
  });
}

export interface ListFieldOptions<
  Parent,
  Args extends InputFieldMap,
  Path extends string,
  Item,
  Query,
  Node,
> {
  /** The connection type, made by `connectionType`. */
  readonly type: ObjectRef<Types, Connection<Node>>;
  readonly description: string;
  readonly from: DemandSource;
  readonly route: Route<Path, Listed<Item>, Query, undefined>;
  /** True when the route has the parent in its path, so that a 404 means there is no parent. */
  readonly proves?: boolean;
  /** What the items prime; absent when they are no entities. */
  readonly items?: { readonly ref: ObjectRef<Types, Node> };
  readonly args?: Args;
  /** Values for the path and filters for the query, from the parent's key and the arguments. */
  readonly input: (
    parent: Parent,
    args: InputShapeFromFields<Args>,
  ) => CallInput<Path, Filters<Query>, undefined>;
  /** From REST's item to the graph's node, where they differ. */
  readonly toNode?: (item: Item, parent: Parent, args: InputShapeFromFields<Args>) => Node;
}

/** A list of the backend as a connection: forward only, as REST is. */
export function listField<
  Parent extends object,
  Path extends string,
  Item,
  Query,
  Node,
  Args extends InputFieldMap = {},
>(t: FieldBuilder<Parent>, options: ListFieldOptions<Parent, Args, Path, Item, Query, Node>) {
  return connectionField(t, { ...options, demand: () => listDemand(options) });
}

/** What `listField` demands, for fields that demand it under one route set only. */
export function listDemand<
  Parent,
  Args extends InputFieldMap,
  Path extends string,
  Item,
  Query,
  Node,
>({
  from,
  route,
  proves = false,
  items,
  input,
  toNode,
}: Omit<
  ListFieldOptions<Parent, Args, Path, Item, Query, Node>,
  'type' | 'description'
>): ListDemand {
  return {
    kind: 'list',
    from,
    route,
    proves,
    items: items as unknown as Entity | undefined,
    list: (parent, args, context): List => {
      // The field's own parent and arguments: a demand is only ever read beside its field.
      const [owner, given] = [parent as Parent, args as InputShapeFromFields<Args>];
      const list = restList(context, route, input(owner, given));
      return toNode ? mapList(list, (item) => toNode(item, owner, given)) : list;
    },
  };
}

export interface ConnectionFieldOptions<Node, Args extends InputFieldMap> {
  readonly type: ObjectRef<Types, Connection<Node>>;
  readonly description: string;
  readonly args?: Args;
  readonly demand: (routeSet: RouteSet) => ListDemand;
}

/** A connection whose list may differ between the route sets. */
export function connectionField<Parent extends object, Node, Args extends InputFieldMap>(
  t: FieldBuilder<Parent>,
  { type, description, args, demand }: ConnectionFieldOptions<Node, Args>,
) {
  const { arg, field } = bound(anyBuilder(t));
  return field({
    type,
    nullable: true,
    description: costing(description, demand('extended').route!),
    args: {
      first: arg.int({
        defaultValue: DEFAULT_FIRST,
        description: `How many edges at most: 0 to ${MAX_FIRST}.`,
      }),
      after: arg.string({ description: 'Go on after the edge with this cursor.' }),
      ...args,
    },
    extensions: demanding(demand),
    resolve: async (
      parent: Parent,
      given: Readonly<Record<string, unknown>>,
      context: Context,
      info: GraphQLResolveInfo,
    ) => {
      try {
        return await readConnection(demand(context.rest.routeSet), parent, given, context, info);
      } catch (error) {
        if (isNotFound(error)) return null; // the list of something that does not exist
        throw cutAt(error, () => ({
          id: idOfParent(info, parent),
          after: (given['after'] as string | null | undefined) ?? null,
        }));
      }
    },
  });
}

/** The global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}

/** `description`, and the route that the field costs. */
export const costing = (description: string, route: Route): string =>
  `${description} Costs \`${route.method} ${route.path}\`.`;

// Pothos types a field by where it stands (query, object, interface) and by its options, literally.
// A helper for all of them cannot be typed that way; its own parameters are, and rooms use those.
const anyBuilder = (t: unknown): AnyFieldBuilder => t as AnyFieldBuilder;

const bound = (t: AnyFieldBuilder) => ({
  arg: t.arg,
  field: (options: object) => t.field(options),
});
