/**
 * How resource modules write lists of the backend: as connections, forward only, as REST is. What is answered
 * here are options of `t.field`.
 */
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import type { Listed } from '../../v0/list.ts';
import type { Route } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import { demandIn, demanding, type InDialects, type ListDemand } from '../entity/demand.ts';
import type { AnyEntity } from '../entity/entity.ts';
import { requestAhead } from '../entity/lookahead.ts';
import type { Types } from '../entity/schema-shape.ts';
import { List, type ListInput } from '../loading/list.ts';
import { cursorOf, DEFAULT_FIRST, MAX_FIRST, pageRequestOf } from '../loading/page-request.ts';
import { builder } from '../schema/builder.ts';
import type { NodePage } from '../types/node-page.ts';
import { readConnection } from './connection.ts';

/** How the list is read: with the input of its route, or as a list of another kind. */
type Way<Parent, Args, Path extends string, Item, Query, Node> =
  | {
      readonly list: (parent: Parent, args: Args, context: Context) => List<Node>;
      readonly input?: undefined;
    }
  | {
      /** Values for the path and filters for the query, from the parent's key and the arguments. */
      readonly input: (parent: Parent, args: Args) => ListInput<Path, Query>;
      /** From REST's item to the graph's node, where they differ. */
      readonly toNode?: (item: Item, parent: Parent) => Node;
      readonly list?: undefined;
    };

type ListFieldOptions<
  Parent,
  Args extends InputFieldMap,
  Path extends string,
  Item,
  Query,
  Node,
> = Pick<ListDemand, 'from' | 'walks'> & {
  /** The connection type, made by `connectionType`. */
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  /** Whether it is a field of `Query`. Below an object it is also null where the object is gone. */
  readonly isRoot?: boolean;
  readonly route: Route<Path, Listed<Item>, Query, undefined>;
  /** Fields that every item has from its parent, beside the parts of its key. */
  readonly shares?: readonly (keyof Parent & string)[];
  /** What the items prime; absent when they are no entities. */
  readonly items?: AnyEntity & { readonly ref: ObjectRef<Types, Node> };
  readonly args?: Args;
  /** What is demanded where the backend lacks the route. */
  readonly document?: Omit<ListDemand, 'kind' | 'list' | 'items'> & {
    readonly list: (parent: Parent, args: InputShapeFromFields<Args>, context: Context) => List;
  };
} & Way<Parent, InputShapeFromFields<Args>, Path, Item, Query, Node>;

/** A list of the backend as a connection: forward only, as REST is. */
export function listField<
  Parent extends object,
  Path extends string,
  Item,
  Query,
  Node,
  Args extends InputFieldMap = {},
>(options: ListFieldOptions<Parent, Args, Path, Item, Query, Node>) {
  const { type, description, isRoot = false, args: filters } = options;
  const demand = demandOfList(options);
  return {
    ...demanding(`${description} ${lackOf(filters)}`, demand, { isNullOnlyWithError: isRoot }),
    type,
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
      ...(filters as Args), // none are none
    },
    resolve: (parent: Parent, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) => {
      const listed = demandIn(context.rest.dialect, demand);
      const request =
        requestAhead(context, parent, info) ?? pageRequestOf(listed, parent, args, context);
      // The list's items, or what they were turned into, are the nodes.
      return readConnection({ demand: listed, request, parent, args, context, info }) as Promise<
        NodePage<Node>
      >;
    },
    /** The cursor that reads the list from the first item on. */
    startCursor: (parent: Parent, context: Context): string => {
      const { list } = demandIn(context.rest.dialect, demand);
      return cursorOf(list(parent, {}, context), { skip: 0, from: null });
    },
  };
}

function demandOfList<Parent, Args extends InputFieldMap, Path extends string, Item, Query, Node>(
  options: ListFieldOptions<Parent, Args, Path, Item, Query, Node>,
): InDialects<ListDemand> {
  const { from, route, walks, shares = [], items, document } = options;
  // The field's own parents and arguments: a demand is only ever read beside its field.
  const listOf = (
    options.input ? listOfRoute(route, options.input, options.toNode) : options.list
  ) as ListDemand['list'];
  const proves = options.input !== undefined && route.path.includes('{');
  const demand: ListDemand = {
    kind: 'list',
    from,
    route,
    proves,
    walks,
    shares,
    items,
    list: listOf,
  };
  if (!document) return demand;
  const instead: ListDemand = {
    ...document,
    kind: 'list',
    items,
    list: document.list as ListDemand['list'], // as above
  };
  return { route, extended: { ...demand, instead }, document: instead };
}

const listOfRoute =
  <Parent, Args, Path extends string, Item, Query, Node>(
    route: Route<Path, Listed<Item>, Query, undefined>,
    input: (parent: Parent, args: Args) => ListInput<Path, Query>,
    toNode: ((item: Item, parent: Parent) => Node) | undefined,
  ) =>
  (parent: Parent, args: Args, context: Context): List => {
    const list = List.of(context, route, input(parent, args));
    return toNode ? list.map((item) => toNode(item, parent)) : list;
  };

/** What callers look for in a list, and REST does not have. */
const lackOf = (filters: InputFieldMap = {}): string =>
  Object.keys(filters).length > 0
    ? 'REST can neither sort this list nor page backward.'
    : 'REST can neither filter nor sort this list, nor page backward.';
