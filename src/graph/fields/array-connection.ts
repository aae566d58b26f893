/** Fields with Relay connections over arrays that REST returns whole: forward and backward. */
import type { ObjectRef } from '@pothos/core';
import type { DefaultConnectionArguments } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { requiring, nullOnlyWithError, type LoadRequirement } from '../entity/requirement.ts';
import type { AnyEntity, EntityOf, Types } from '../entity/entity.ts';
import { badInput } from '../errors.ts';
import { cursorOf, MarkedItems, parseStart, type Start } from '../loading/cursor.ts';
import { checkCount, DEFAULT_FIRST } from '../loading/page-request.ts';
import { addField, builder } from '../schema/builder.ts';
import type { NodeReference } from '../types/key.ts';
import { NodePage } from '../types/node-page.ts';

interface ArrayConnectionOptions<Parent, Node> {
  readonly type: ObjectRef<Types, NodePage<Node>>;
  readonly description: string;
  /** Entity of the items, which gives cursors and is primed. */
  readonly entity: EntityOf<Node>;
  /** Identifies the array in cursors. */
  readonly listId: (parent: Parent) => string;
  /** Requirement of the array; absent if it is contained in its parent. */
  readonly requirement?: LoadRequirement;
  /** Returns the whole array; null if the parent does not exist. */
  readonly items: (
    parent: Parent,
    context: Context,
    info: GraphQLResolveInfo,
  ) => Whole<Node> | null | Promise<Whole<Node> | null>;
}

type Whole<Node> = readonly (Node | NodeReference)[];

export function arrayConnectionField<Parent extends object, Node>(
  owner: ObjectRef<Types, Parent>,
  name: string,
  { type, description, entity, listId, requirement, items }: ArrayConnectionOptions<Parent, Node>,
): void {
  // Prefetching must not call for arguments that the resolver rejects.
  const checked = (load: LoadRequirement): LoadRequirement => ({
    ...load,
    key: (parent, args, context) => {
      readRequest(listId(parent as Parent), args);
      return load.key(parent, args, context);
    },
    instead: load.instead && checked(load.instead),
  });
  addField(owner, name, {
    type,
    // An array with its own call is null if the parent is gone.
    ...(requirement
      ? requiring(description, checked(requirement))
      : { description, nullable: true as const, extensions: nullOnlyWithError() }),
    args: builder.args((t) => t.connectionArgs()),
    resolve: async (
      parent: Parent,
      args: DefaultConnectionArguments,
      context: Context,
      info: GraphQLResolveInfo,
    ): Promise<NodePage<Node> | null> => {
      const id = listId(parent);
      const request = readRequest(id, args);
      const whole = await items(parent, context, info);
      // An error replaces an invalid array.
      if (whole instanceof Error) throw whole;
      if (!whole) return null;
      entity.prime(context, whole);
      return slice(whole, entity, request, id);
    },
  });
}

/** @throws BAD_USER_INPUT for contradictory or out-of-range arguments, and cursors of other lists. */
function readRequest(listId: string, args: DefaultConnectionArguments) {
  const { first, last } = args;
  if (typeof first === 'number' && typeof last === 'number') {
    throw badInput(
      '`first` and `last` are mutually exclusive. Pass `first` to page forward, or `last` to page backward.',
    );
  }
  return {
    first: checkCount('first', first ?? DEFAULT_FIRST),
    // Takes items from the end if set.
    last: typeof last === 'number' ? checkCount('last', last) : undefined,
    after: parseStart(listId, args.after ?? null, 'after'),
    before: typeof args.before === 'string' ? parseStart(listId, args.before, 'before') : undefined,
  };
}

function slice<Node>(
  whole: Whole<Node>,
  entity: AnyEntity,
  { first, last, after, before }: ReturnType<typeof readRequest>,
  listId: string,
): NodePage<Node> {
  const marked = new MarkedItems(whole, entity.key);
  const indexAfter = (argument: 'after' | 'before', cursor: Start): number => {
    const index = marked.indexAfter(cursor);
    if (marked.isExact(cursor, index)) return index;
    throw badInput(
      `The item of the cursor in \`${argument}\` is no longer in this list. Omit \`${argument}\` to start over.`,
      { argument },
    );
  };
  const lower = indexAfter('after', after);
  const upper = Math.max(lower, before ? indexAfter('before', before) - 1 : whole.length);
  const start = last === undefined ? lower : Math.max(lower, upper - last);
  const end = last === undefined ? Math.min(upper, lower + first) : upper;
  const nodes = whole.slice(start, end);
  return new NodePage({
    nodes,
    cursorAt: (index) => {
      const { skip, marks } = marked.startAfter(start + index);
      // By the key alone, so that it is the cursor of a new item's edge, too.
      const isKeyed = entity.keyOf(nodes[index]) !== undefined;
      const own = { from: null, skip: isKeyed ? 0 : skip, marks: marks.slice(0, 1) };
      return cursorOf(listId, own);
    },
    hasPreviousPage: start > 0,
    hasNextPage: end < whole.length,
    totalCount: whole.length,
  });
}
