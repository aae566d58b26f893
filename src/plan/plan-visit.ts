/**
 * What the planner carries from field to field, and how it looks into connections.
 */
import {
  getNamedType,
  isObjectType,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { collectFields, type OperationContext } from '../execution/collect-fields.ts';
import { DEFAULT_FIRST } from '../graph/connection/page-request.ts';
import type { Count } from './plan-tally.ts';

/** An object as the planner sees it. */
export interface Parent {
  readonly type: GraphQLObjectType;
  readonly value: object;
  /** The round after which its key is known: calls that need no more begin then. */
  readonly keyAt: number;
  /** The round after which the object itself is there. */
  readonly visibleAt: number;
  readonly count: Count;
  readonly path: string;
}

/** A selected field with all that counting it takes. */
export interface Visit {
  readonly parent: Parent;
  readonly field: GraphQLField<unknown, unknown>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fieldNodes: readonly FieldNode[];
  readonly path: string;
  /** The round after which its call can begin. */
  readonly at: number;
  /** How many times it is resolved. */
  readonly count: Count;
}

/** How many items a field answers at most. */
export function sizeOf({ field, args }: Visit): number {
  const size = args['first'] ?? args['last'];
  if (typeof size === 'number') return Math.max(0, size);
  return getNamedType(field.type).name.endsWith('Connection') ? DEFAULT_FIRST : 1;
}

/** What a field selects of its items: through `edges { node }` and `nodes` of a connection. */
export function* itemSelections(
  document: OperationContext,
  field: GraphQLField<unknown, unknown>,
  fieldNodes: readonly FieldNode[],
): Iterable<[GraphQLObjectType, readonly FieldNode[]]> {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return;
  if (!type.name.endsWith('Connection') && !type.name.endsWith('Edge')) yield [type, fieldNodes];
  else {
    for (const part of collectFields(document, type, fieldNodes)) {
      const inner = type.getFields()[part.name];
      if (inner && ['edges', 'nodes', 'node'].includes(part.name)) {
        yield* itemSelections(document, inner, part.fieldNodes);
      }
    }
  }
}
