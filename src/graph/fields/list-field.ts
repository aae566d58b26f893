/**
 * How resource modules write lists of the backend: as Relay connections, forward only, as REST is. What is
 * answered here are options of `t.field`.
 *
 * An edge's cursor says from which page start how many to skip; the last edge of a page names the
 * next page's start, so that walking a list costs one call a step and any edge can be resumed.
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
  /** The connection type, made by `connectionType`. */
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  /** Whether it is a field of `Query`. Below an object it is also null where the object is gone. */
  readonly isRoot?: boolean;
  readonly route: Route;
  /** Fields that every item has from its parent, beside the parts of its key. */
  readonly shares?: readonly (keyof Parent & string)[];
  /** What the items prime; absent when they are no entities. */
  readonly items?: EntityOf<Node>;
  readonly args?: Args;
  /** The list of a parent, or of its key, that the route answers. */
  readonly list: ListOf<Parent, Args, Node>;
  /** What is required where the backend lacks the route. */
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
      ...(filters as Args), // no arguments where it is undefined
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
      // The list's items, or what they were turned into, are the nodes.
      return page as Promise<NodePage<Node> | null>;
    },
    /** The cursor that reads the list from the first item on. */
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
  // A requirement is only ever read with its own field's parents and arguments.
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

/** What callers look for in a list, and REST does not have. */
const lackOf = (filters: InputFieldMap = {}): string =>
  Object.keys(filters).length > 0
    ? 'REST can neither sort this list nor page backward.'
    : 'REST can neither filter nor sort this list, nor page backward.';

/** The nodes of a connection that came with one page of the backend. */
interface Segment {
  /** How many nodes stand before them, and how many when they are counted in. */
  readonly before: number;
  readonly end: number;
  /** The page start they are counted from. */
  readonly from: string | null;
  /** Items between the page start and the first of them. */
  readonly skip: number;
  /** The next page's start, if they reach to the end of theirs. */
  readonly next: string | null;
}

/**
 * A connection while its pages arrive.
 *
 * Not one async function, which takes a sixth more CPU when a hundred connections wait together.
 */
class ConnectionRead {
  #request: PageRequest;
  readonly #items: AnyEntity | undefined;
  readonly #parent: object;
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  readonly #segments: Segment[] = [];
  #nodes: readonly unknown[] = [];

  /** @param items what the items prime. */
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
   * Reads the connection; null when it is the list of something that does not exist.
   *
   * @param request where the list's route was missing, what is read without it. @default as constructed
   *
   * Rejects with {RestError} when a call fails.
   */
  begin(request = this.#request): Promise<NodePage<unknown> | null> {
    this.#request = request;
    return this.#read(request);
  }

  /** Reads on from a page's start, of whose items some are passed over. */
  #read({ from, skip }: Start): Promise<NodePage<unknown> | null> {
    const { list, first } = this.#request;
    const page = pageOf({ from, skip, first: first - this.#nodes.length });
    return list.read(page, { origin: this.#info.path }).then(
      (listed) => this.#take(listed, page, skip),
      (error: unknown) => this.#fail(error),
    );
  }

  #take(listed: ListedPage<unknown>, { from, limit }: ListPage, skip: number) {
    const { list, first, after } = this.#request;
    // Without a next page the items are still good: the fault is reported at `pageInfo`.
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
    if (end < first && next !== null) {
      // The rest lies in the next one: the backend gave less than asked, or 100 at most.
      return this.#read({ from: next, skip: Math.max(0, skip - listed.items.length) });
    }
    const connection = {
      nodes: this.#nodes,
      cursorAt: cursorsOf(list, this.#segments),
      hasNextPage: !isWhole || hasNextPage(listed, limit),
      hasPreviousPage: Boolean(after) && end > 0,
      totalCount: listed.totalCount,
    };
    return new NodePage(connection, isWhole ? fault : undefined);
  }

  #fail(error: unknown): null {
    const { after } = this.#request;
    // At the root there is no parent that could be missing: the backend has no such list.
    if (isNotFound(error) && this.#info.path.prev) return null;
    throw cutAt(error, () => ({ id: idOfParent(this.#info, this.#parent), after }));
  }
}

const cursorsOf =
  (list: List, segments: readonly Segment[]) =>
  (index: number): string => {
    const { before, end, from, skip, next } = segments.find((one) => index < one.end)!;
    const isLast = index + 1 === end;
    if (isLast && next !== null) return cursorOf(list, { skip: 0, from: next });
    return cursorOf(list, { skip: skip + index - before + 1, from });
  };

/** The global id of a list's parent; undefined at the root. */
function idOfParent({ parentType }: GraphQLResolveInfo, parent: object): string | undefined {
  const entity = findEntity(parentType.name);
  const key = entity?.keyOf(parent);
  return key && entity?.idOf(key);
}
