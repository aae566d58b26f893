/**
 * Rounds that each `@defer` of a document saves for the initial result.
 */
import {
  getLocation,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type SelectionNode,
} from 'graphql';
import { deferOf } from '../execution/operation/defer-and-stream.ts';
import type { Context } from '../graph/context.ts';
import { selectionOf } from '../graph/entity/selection.ts';
import { planFor, readOperation, type OperationArgs } from './cost.ts';

type DeferNode = InlineFragmentNode | FragmentSpreadNode;

/** Returns undefined if nothing is deferred, or there is no plan. */
export function planDefers(args: OperationArgs, context: Context) {
  const known = readOperation(args)?.known;
  if (!known) return undefined;
  const { schema, fragments, variableValues } = known;
  const all: DeferNode[] = [];
  const note = (node: DeferNode): void => {
    if (deferOf(node, variableValues)) all.push(node);
  };
  visit(args.document, { InlineFragment: note, FragmentSpread: note });
  if (all.length === 0) return undefined;

  /** Rounds of the initial result if all fragments but one are deferred. */
  const roundsWith = (kept: DeferNode | undefined): number => {
    const types = new TypeInfo(schema);
    const drop = (node: DeferNode): SelectionNode | null | undefined => {
      if (node === kept || !all.includes(node)) return undefined;
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments[node.name.value];
      const condition = fragment?.typeCondition?.name.value;
      const type = condition ? schema.getType(condition) : types.getParentType();
      // An object required by a fragment is read for the initial result too.
      const needsObject =
        !fragment ||
        !isObjectType(type) ||
        selectionOf(known, type, [fragment], context.rest.capabilities).needsObject;
      return needsObject ? NEEDS_OBJECT : null;
    };
    const visitor = visitWithTypeInfo(types, { InlineFragment: drop, FragmentSpread: drop });
    const initial = { ...args, document: visit(args.document, visitor), operation: undefined };
    return planFor(initial, context)?.rounds ?? 0;
  };
  const initialRounds = roundsWith(undefined);
  const defers = all.map((node) => {
    const savesRounds = Math.max(0, roundsWith(node) - initialRounds);
    const { loc } = node;
    return {
      label: deferOf(node, variableValues)?.label ?? null,
      at: loc ? getLocation(loc.source, loc.start) : null,
      // Additional rounds of the initial result without it.
      savesRounds,
      pays: savesRounds > 0,
    };
  });
  // Rounds of the initial result with all fragments deferred.
  return { initialRounds, defers };
}

/** Placeholder of fields that require the object without a separate call. */
const NEEDS_OBJECT: SelectionNode = {
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__deferred' },
};
