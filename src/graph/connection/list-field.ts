/**
 * How resource modules write lists of the backend: as connections, forward only, as REST is. What is answered
 * here are options of `t.field`.
 */
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { CallInput } from '../../rest/client/client.ts';
import type { Listed } from '../../v0/list.ts';
import type { Route } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import {
  demandIn,
  demanding,
  isReading,
  usualDemand,
  type DemandSource,
  type InDialects,
  type ListDemand,
} from '../entity/demand.ts';
import type { AnyEntity } from '../entity/entity.ts';
import { requestAhead } from '../entity/lookahead.ts';
import { builder } from '../types/builder.ts';
import type { Types } from '../types/schema-shape.ts';
import { costing } from '../types/costing.ts';
import { nullOnlyWithError } from '../types/semantic-non-null.ts';
import { readConnection } from './connection.ts';
import { mapList, restList, type List } from './list.ts';
import type { NodePage } from './node-page.ts';
import { DEFAULT_FIRST, MAX_FIRST, pageRequestOf } from './page-request.ts';

/** The names of a list's query parameters beside `cursor` and `limit`. */
type Filters<Query> = Omit<NonNullable<Query>, 'cursor' | 'limit'>;

interface ListFieldOptions<
  Parent,
  Args extends InputFieldMap,
  Path extends string,
  Item,
  Query,
  Node,
> {
  /** The connection type, made by `connectionType`. */
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  readonly isRoot?: boolean;
  readonly from: DemandSource;
  readonly route: Route<Path, Listed<Item>, Query, undefined>;
  /** Fields that every item has from its parent, beside the parts of its key. */
  readonly shares?: readonly (keyof Parent & string)[];
  /** What the items prime; absent when they are no entities. */
  readonly items?: AnyEntity & { readonly ref: ObjectRef<Types, Node> };
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
>(options: ListFieldOptions<Parent, Args, Path, Item, Query, Node>) {
  return connectionField<Parent, Node, Args>({ ...options, demand: listDemand(options) });
}

/** What `listField` demands, for fields that demand it in one dialect only. */
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
  shares = [],
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
    proves: route.path.includes('{'),
    shares,
    items,
    list: (parent, args, context): List => {
      // The field's own parent and arguments: a demand is only ever read beside its field.
      const [owner, given] = [parent as Parent, args as InputShapeFromFields<Args>];
      const list = restList(context, route, input(owner, given));
      return toNode ? mapList(list, (item) => toNode(item, owner, given)) : list;
    },
  };
}

interface ConnectionFieldOptions<Node, Args extends InputFieldMap> {
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  /** Whether it is a field of `Query`. Below an object it is also null where the object is gone. */
  readonly isRoot?: boolean;
  readonly args?: Args;
  readonly demand: InDialects<ListDemand>;
}

/** What callers look for in a list, and REST does not have. */
const lackOf = (filters: InputFieldMap = {}): string =>
  Object.keys(filters).length > 0
    ? 'REST can neither sort this list nor page backward.'
    : 'REST can neither filter nor sort this list, nor page backward.';

/** A connection whose list may differ between the dialects. */
export function connectionField<Parent extends object, Node, Args extends InputFieldMap = {}>({
  type,
  description,
  isRoot = false,
  args,
  demand: given,
}: ConnectionFieldOptions<Node, Args>) {
  const demand = isReading(given)
    ? { ...given, extended: withInstead(given.extended, given.document) }
    : given;
  return {
    type,
    nullable: true,
    description: costing(`${description} ${lackOf(args)}`, usualDemand(demand).route!),
    args: {
      ...builder.args((t) => ({
        first: t.int({
          defaultValue: DEFAULT_FIRST,
          description: `Maximum number of edges, from 0 to ${MAX_FIRST}.`,
        }),
        after: t.string({
          description:
            'Cursor of the edge after which the page starts. Defaults to the start of the list.',
        }),
      })),
      ...(args as Args), // none are none
    },
    extensions: { ...demanding(demand), ...(isRoot && nullOnlyWithError()) },
    resolve: (parent: Parent, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) => {
      const listed = demandIn(context.rest.dialect, demand);
      const request =
        requestAhead(context, parent, info) ?? pageRequestOf(listed, parent, args, context);
      // The list's items, or what they were turned into, are the nodes.
      return readConnection({ demand: listed, request, parent, context, info }) as Promise<
        NodePage<Node>
      >;
    },
  } as const;
}

/** A list that another is read for where its route turns out to be missing. */
const withInstead = (demand: ListDemand, document: ListDemand): ListDemand => ({
  ...demand,
  list: (parent, args, context) => ({
    ...demand.list(parent, args, context),
    instead: () => document.list(parent, args, context),
  }),
});
