/**
 * Lists of the backend as Relay connections, forward only. Returns options of `t.field`.
 *
 * An edge's cursor contains a page start and the number of items to skip; that of a page's last edge contains the next
 * page start. So each step of pagination costs one call, and any edge can be resumed.
 */
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentValues } from '../../execution/operation/arguments.ts';
import { isNotFound } from '../../rest/call/errors.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import type { Route } from '../../v0/routes.ts';
import type { Context } from '../context.ts';
import { requirementIn, requiring, type ListRequirement } from '../entity/requirement.ts';
import { findEntity, type AnyEntity, type EntityOf } from '../entity/entity.ts';
import { requestAhead } from '../entity/lookahead.ts';
import type { Types } from '../entity/schema-shape.ts';
import { cutAt } from '../errors.ts';
import {
  endless,
  hasNextPage,
  nextStart,
  pagingFault,
  type List,
  type ListedPage,
  type ListPage,
} from '../loading/list.ts';
import {
  cursorOf,
  DEFAULT_FIRST,
  MAX_FIRST,
  pageOf,
  pageRequestOf,
  type PageRequest,
  type Start,
} from '../loading/page-request.ts';
import { builder } from '../schema/builder.ts';
import { NodePage } from '../types/node-page.ts';

type ListOf<Parent, Args extends InputFieldMap, Node> = (
  parent: Parent,
  args: InputShapeFromFields<Args>,
  context: Context,
) => List<Node>;

interface ListFieldOptions<Parent, Args extends InputFieldMap, Node> extends Pick<
  ListRequirement,
  'from' | 'paginates'
> {
  /** Connection type of `connectionType`. */
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  /** Whether it is a field of `Query`. Below an object it is also null if the object is gone. */
  readonly isRoot?: boolean;
  readonly route: Route;
  /** Fields that items have in common with the parent, in addition to the parts of its key. */
  readonly shares?: readonly (keyof Parent & string)[];
  /** Entity that the items prime, if they are entities. */
  readonly items?: EntityOf<Node>;
  readonly args?: Args;
  /** Returns the list of a parent or its key. */
  readonly list: ListOf<Parent, Args, Node>;
  /** Fallback if the backend lacks the route. */
  readonly instead?: Omit<ListRequirement, 'kind' | 'list' | 'items' | 'instead'> & {
    readonly list: ListOf<Parent, Args, unknown>;
  };
}

export function listField<Parent extends object, Node, Args extends InputFieldMap = {}>(
  options: ListFieldOptions<Parent, Args, Node>,
) {
  const { type, description, isRoot = false, args: filters } = options;
  const requirement = requirementOfList(options);
  return {
    ...requiring(`${description} ${lackOf(filters)}`, requirement, { isNullOnlyWithError: isRoot }),
    type,
    args: {
      ...builder.args((t) => ({
        first: t.int({
          defaultValue: DEFAULT_FIRST,
          description: `Maximum number of edges, from 0 to ${MAX_FIRST}.`,
        }),
        after: t.connectionArgs().after,
      })),
      ...(filters as Args), // no arguments if undefined
    },
    resolve: (parent: Parent, args: ArgumentValues, context: Context, info: GraphQLResolveInfo) => {
      const { capabilities } = context.rest;
      const request =
        requestAhead(context, parent, info) ??
        pageRequestOf(requirementIn(capabilities, requirement), parent, args, context);
      const read = new ConnectionRead(request, requirement.items, parent, context, info);
      const { instead, list } = request;
      const page =
        instead && list.route
          ? readBy(
              list.route,
              capabilities,
              () => read.begin(),
              () => read.begin(pageRequestOf(instead, parent, args, context)),
            )
          : read.begin();
      // Safe cast: nodes are the (mapped) items of the list.
      return page as Promise<NodePage<Node> | null>;
    },
    /** Returns the cursor before the first item. */
    startCursor: (parent: Parent, context: Context): string => {
      const { list } = requirementIn(context.rest.capabilities, requirement);
      return cursorOf(list(parent, {}, context), { skip: 0, from: null });
    },
  };
}

function requirementOfList<Parent, Args extends InputFieldMap, Node>(
  options: ListFieldOptions<Parent, Args, Node>,
): ListRequirement {
  const { from, route, paginates, shares = [], items, instead } = options;
  const proves = route.path.includes('{');
  // Safe casts: a requirement is used with its own field's parents and arguments only.
  const list = options.list as ListRequirement['list'];
  const other = instead?.list as ListRequirement['list'];
  return {
    kind: 'list',
    from,
    route,
    proves,
    paginates,
    shares,
    items,
    list,
    instead: instead && { ...instead, kind: 'list', items, list: other },
  };
}

/** Note about arguments that REST lacks. */
const lackOf = (filters: InputFieldMap = {}): string =>
  Object.keys(filters).length > 0
    ? 'REST can neither sort this list nor page backward.'
    : 'REST can neither filter nor sort this list, nor page backward.';

/** Maximum number of empty pages in a row that a connection reads on from; the caller continues after them. */
export const MAX_EMPTY_PAGES = 10;

/** The nodes of a connection from one page of the backend. */
interface Segment {
  /** Range of their indexes in the connection. */
  readonly before: number;
  readonly end: number;
  /** Start of the page. */
  readonly from: string | null;
  /** Number of skipped items of the page. */
  readonly skip: number;
  /** Start of the next page, if they reach the end of theirs. */
  readonly next: string | null;
}

/**
 * The state of a connection while it is read.
 *
 * Not an async function, which takes a sixth more CPU with a hundred concurrent connections.
 */
class ConnectionRead {
  #request: PageRequest;
  readonly #items: AnyEntity | undefined;
  readonly #parent: object;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  readonly #segments: Segment[] = [];
  #nodes: readonly unknown[] = [];
  /** Latest empty pages in a row. */
  #emptyPages = 0;

  /** @param items entity that the items prime. */
  constructor(
    request: PageRequest,
    items: AnyEntity | undefined,
    parent: object,
    context: Context,
    info: GraphQLResolveInfo,
  ) {
    this.#request = request;
    this.#items = items;
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
    return this.#read(request);
  }

  /** Reads a page from a start, and continues if more items are needed. */
  #read({ from, skip }: Start): Promise<NodePage<unknown> | null> {
    const { list, first } = this.#request;
    const page = pageOf({ from, skip, first: first - this.#nodes.length });
    return list.read(page, { origin: this.#info.path }).then(
      (listed) => this.#take(listed, page, skip),
      (error: unknown) => this.#fail(error, { from, skip }),
    );
  }

  #take(listed: ListedPage<unknown>, { from, limit }: ListPage, skip: number) {
    const { list, first, after } = this.#request;
    // Items are valid without a next page; the fault is reported at `pageInfo`.
    const fault = pagingFault(listed);
    const next = fault ? null : nextStart(listed, from);
    if (next !== null && this.#segments.some((one) => one.from === next)) throw endless();
    const before = this.#nodes.length;
    const wanted = skip + first - before;
    const items = listed.items.slice(skip, wanted);
    const isWhole = listed.items.length <= wanted;
    this.#items?.prime(this.#context, items);
    this.#nodes = before === 0 ? items : this.#nodes.concat(items);
    const end = this.#nodes.length;
    this.#segments.push({ before, end, from, skip, next: isWhole ? next : null });
    this.#emptyPages = listed.items.length === 0 ? this.#emptyPages + 1 : 0;
    if (end < first && next !== null && this.#emptyPages <= MAX_EMPTY_PAGES) {
      // The page had fewer items than needed: at most 100, or fewer than requested.
      return this.#read({ from: next, skip: Math.max(0, skip - listed.items.length) });
    }
    const connection = {
      nodes: this.#nodes,
      cursorAt: cursorsOf(list, this.#segments),
      hasNextPage: !isWhole || hasNextPage(listed, limit),
      hasPreviousPage: Boolean(after) && end > 0,
      totalCount: listed.totalCount,
    };
    // An empty connection has a next page after too many empty ones only.
    const ended =
      end < first && next !== null ? cursorOf(list, { skip: 0, from: next }) : undefined;
    return new NodePage(connection, isWhole ? (fault ?? ended) : undefined);
  }

  /** @param start of the page that was not read. */
  #fail(error: unknown, start: Start): null {
    const { list, after } = this.#request;
    const isEmpty = this.#segments.length > 0 && this.#nodes.length === 0;
    // Below an object, a 404 means that the parent is missing; at the root, that the list is.
    if (isNotFound(error) && this.#info.path.prev) return null;
    throw cutAt(error, () => ({
      id: idOfParent(this.#info, this.#parent),
      after: isEmpty ? cursorOf(list, start) : after,
    }));
  }
}

const cursorsOf =
  (list: List, segments: readonly Segment[]) =>
  (index: number): string => {
    const { before, end, from, skip } = segments.find((one) => index < one.end)!;
    // The next page after the node's own and the empty ones that follow.
    const next = index + 1 === end ? segments.findLast((one) => one.end === end)!.next : null;
    if (next !== null) return cursorOf(list, { skip: 0, from: next });
    return cursorOf(list, { skip: skip + index - before + 1, from });
  };

/** Returns the global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}
