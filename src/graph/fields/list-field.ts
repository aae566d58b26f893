/**
 * Fields with lists of the backend as Relay connections, forward only.
 *
 * An edge's cursor contains a page start and the items after which to resume; that of a page's last edge contains the
 * next page start. So each step of pagination costs one call, and any edge can be resumed.
 */
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import { hasKind, isNotFound } from '../../rest/call/errors.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import type { Route } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import { requirementIn, requiring, type ListRequirement } from '../entity/requirement.ts';
import { findEntity, type AnyEntity, type EntityOf, type Types } from '../entity/entity.ts';
import { prefetchedRequest } from '../entity/prefetching.ts';
import { cutAt, rejectedCursor } from '../errors.ts';
import { cursorOf, MarkedItems, startOfPage } from '../loading/cursor.ts';
import {
  repeatedCursor,
  hasNextPage,
  nextStart,
  pagingFault,
  type List,
  type ListedPage,
  type ListPage,
} from '../loading/list.ts';
import {
  DEFAULT_FIRST,
  MAX_FIRST,
  pageOf,
  pageRequestOf,
  type PageRequest,
} from '../loading/page-request.ts';
import { addField, builder } from '../schema/builder.ts';
import type { Key } from '../types/key.ts';
import { NodePage } from '../types/node-page.ts';

type ListOf<Parent, Args extends InputFieldMap, Node> = (
  parent: Parent,
  args: InputShapeFromFields<Args>,
  context: Context,
) => List<Node>;

interface ListFieldOptions<Parent, Args extends InputFieldMap, Node> {
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  readonly route: Route;
  readonly paginates?: boolean;
  /** Fields that items have in common with the parent, in addition to the parts of its key. */
  readonly shares?: readonly (keyof Parent & string)[];
  /** Entity that the items prime, if they are entities. */
  readonly items?: EntityOf<Node>;
  /** Fields that identify an item. @default the key of `items` */
  readonly identifiedBy?: readonly (keyof Node & string)[];
  readonly args?: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>) => Args;
  /** Returns the list of a parent or its key. */
  readonly list: ListOf<Parent, Args, Node>;
  /** Fallback if the backend lacks the route. */
  readonly instead?: Omit<ListRequirement, 'kind' | 'list' | 'items' | 'instead'> & {
    readonly list: ListOf<Parent, Args, unknown>;
  };
}

/**
 * Adds a list to a type. Below an object it is also null if the object is gone.
 *
 * @returns a function for the cursor before the first item, by the parent's key.
 */
export function listField<Parent extends object, Node, Args extends InputFieldMap = {}>(
  owner: ObjectRef<Types, Parent> | 'Query',
  name: string,
  options: ListFieldOptions<Parent, Args, Node>,
): (parent: Key, context: Context) => string {
  const { type, description, args: filtersOf, instead, ...read } = options;
  const filters = filtersOf && builder.args(filtersOf);
  const { route, items } = read;
  const lack = filters ? 'sorting' : 'filters or sorting';
  const proves = route.path.includes('{');
  const other = instead && { ...instead, kind: 'list', items };
  // Safe cast: a requirement is used with its own field's parents and arguments only.
  const requirement = {
    ...read,
    kind: 'list',
    from: 'key',
    proves,
    instead: other,
  } as object as ListRequirement;
  addField(owner, name, {
    ...requiring(`${description} Forward pagination only, without ${lack}.`, requirement, {
      isNullOnlyWithError: owner === 'Query',
    }),
    type,
    args: {
      ...builder.args((t) => ({
        first: t.int({
          defaultValue: DEFAULT_FIRST,
          description: `Maximum number of edges, from 0 to ${MAX_FIRST}.`,
        }),
        after: t.connectionArgs().after,
      })),
      ...filters,
    },
    resolve: (parent: object, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) => {
      const { capabilities } = context.rest;
      const request =
        prefetchedRequest(context, parent, info) ??
        pageRequestOf(requirementIn(capabilities, requirement), parent, args, context);
      const read = new ConnectionRead(request, options, parent, context, info);
      const { instead, list } = request;
      return instead && list.route
        ? readBy(
            list.route,
            capabilities,
            () => read.begin(),
            () => read.begin(pageRequestOf(instead, parent, args, context)),
          )
        : read.begin();
    },
  });
  return (parent, context) => {
    const { list } = requirementIn(context.rest.capabilities, requirement);
    return cursorOf(list(parent, {}, context).id, startOfPage(null));
  };
}

/** Maximum number of empty pages in a row that a connection reads on from; the caller continues after them. */
export const MAX_EMPTY_PAGES = 10;

interface PageRead {
  readonly from: string | null;
  /** Range of its items in those that were read. */
  readonly begin: number;
  readonly end: number;
  readonly next: string | null;
}

/**
 * The state of a connection while it is read.
 *
 * Not an async function, which takes a sixth more CPU with a hundred concurrent connections.
 */
class ConnectionRead {
  #request: PageRequest;
  /** List that is read: the request's, or the same one started over. */
  #list: List;
  readonly #entity: AnyEntity | undefined;
  readonly #fields: readonly string[];
  readonly #parent: object;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  #pages: PageRead[] = [];
  /** Items of all pages read, from the page in which the cursor is. */
  #items: readonly unknown[] = [];
  /** Latest empty pages in a row. */
  #emptyPages = 0;

  constructor(
    request: PageRequest,
    { items, identifiedBy = [] }: { items?: AnyEntity; identifiedBy?: readonly string[] },
    parent: object,
    context: Context,
    info: GraphQLResolveInfo,
  ) {
    this.#request = request;
    this.#list = request.list;
    this.#entity = items;
    this.#fields = items?.key ?? identifiedBy;
    this.#parent = parent;
    this.#context = context;
    this.#info = info;
  }

  /**
   * Reads the connection; null if its parent does not exist.
   *
   * @param request fallback if the list's route was found to be missing. @default as constructed
   *
   * Rejects with a RestError if a call fails.
   */
  begin(request = this.#request): Promise<NodePage<unknown> | null> {
    this.#request = request;
    this.#list = request.list;
    return this.#read(pageOf(request));
  }

  #read(page: ListPage): Promise<NodePage<unknown> | null> {
    return this.#list.read(page, { origin: this.#info.path }).then(
      (listed) => this.#take(listed, page),
      (error: unknown) => this.#fail(error, page.from),
    );
  }

  #take(listed: ListedPage<unknown>, { from, limit }: ListPage) {
    const { list, skip, first } = this.#request;
    // Items are valid without a next page; the fault is reported at `pageInfo`.
    const fault = pagingFault(listed);
    const next = fault ? null : nextStart(listed, from);
    if (next !== null && this.#pages.some((one) => one.from === next)) throw repeatedCursor();
    const begin = this.#items.length;
    this.#items = begin === 0 ? listed.items : this.#items.concat(listed.items);
    const end = this.#items.length;
    this.#pages.push({ from, begin, end, next });
    this.#emptyPages = listed.items.length === 0 ? this.#emptyPages + 1 : 0;
    const marked = new MarkedItems(this.#items, this.#fields);
    const start = marked.indexAfter(this.#request);
    const wanted = start + first;
    if (next !== null && this.#emptyPages <= MAX_EMPTY_PAGES) {
      // Insertions may have moved the cursor's item to a later page.
      const isFound = marked.isExact(this.#request, start) || (start > 0 && start < end);
      if (!isFound && end < skip + MAX_FIRST) return this.#read({ from: next, limit: MAX_FIRST });
      // The page had fewer items than needed: at most 100, or fewer than requested.
      if (end < wanted) return this.#read(pageOf({ from: next, skip: wanted - end, first: 0 }));
    }
    const nodes = this.#items.slice(start, wanted);
    this.#entity?.prime(this.#context, nodes);
    const isWhole = end <= wanted;
    const connection = {
      nodes,
      cursorAt: (index: number) => this.#cursorAfter(start + index, marked),
      hasNextPage: !isWhole || hasNextPage(listed, limit),
      hasPreviousPage: nodes.length > 0 && (start > 0 || this.#request.from !== null),
      totalCount: listed.totalCount,
    };
    // An empty connection has a next page after too many empty ones only.
    const ended = end < wanted && next !== null ? cursorOf(list.id, startOfPage(next)) : undefined;
    return new NodePage(connection, isWhole ? (fault ?? ended) : undefined);
  }

  #cursorAfter(index: number, marked: MarkedItems): string {
    const { list } = this.#request;
    const { from, begin, end } = this.#pages.find((one) => index < one.end)!;
    // The next page after the item's own and the empty ones that follow.
    const next = index + 1 === end ? this.#pages.findLast((one) => one.end === end)!.next : null;
    const start = next === null ? marked.startAfter(index, from, begin) : startOfPage(next);
    return cursorOf(list.id, start);
  }

  /** @param from start of the page that was not read. */
  #fail(error: unknown, from: string | null): null | Promise<NodePage<unknown> | null> {
    const { list, skip, marks, after } = this.#request;
    if (hasKind(error, 'cursor') && from !== null) {
      if (from === this.#request.from) throw rejectedCursor(error);
      if (this.#list === list) {
        this.#list = list.again();
        this.#pages = [];
        this.#items = [];
        this.#emptyPages = 0;
        return this.#read(pageOf(this.#request));
      }
    }
    const isEmpty = this.#pages.length > 0 && this.#items.length === 0;
    // Below an object, a 404 means that the parent is missing; at the root, that the list is.
    if (isNotFound(error) && this.#info.path.prev) return null;
    throw cutAt(error, () => ({
      id: idOfParent(this.#info, this.#parent),
      after: isEmpty ? cursorOf(list.id, { from, skip, marks }) : after,
    }));
  }
}

/** Returns the global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}
