/**
 * Collects fields with their deferred groups: `CollectFields` and `BuildExecutionPlan` of the incremental delivery
 * proposal.
 *
 * A field selected both with and without `@defer` is not deferred.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import { Kind, type FieldNode, type GraphQLObjectType, type SelectionSetNode } from 'graphql';
import {
  applies,
  isIncluded,
  type CollectedField,
  type OperationContext,
  type Selecting,
} from '../operation/collect-fields.ts';
import { deferOf } from './defer-and-stream.ts';

/** An occurrence of `@defer`. */
export interface DeferUsage {
  readonly label: string | undefined;
  /** Enclosing `@defer`. */
  readonly parent: DeferUsage | undefined;
  /** Returns the keys of its fields, including those that are also selected elsewhere. */
  readonly keys: () => readonly string[];
}

/** A selecting node and its enclosing `@defer`. */
export interface Detail<Node extends Selecting = Selecting> {
  readonly node: Node;
  readonly usage: DeferUsage | undefined;
}

export interface DetailedField extends CollectedField {
  readonly details: readonly Detail<FieldNode>[];
}

/** Fields delivered together, and the `@defer`s that select them. */
interface CollectedGroup {
  readonly usages: readonly DeferUsage[];
  readonly fields: readonly DetailedField[];
}

export interface CollectedDeferred {
  /** Fields that are not deferred any further. */
  readonly fields: readonly DetailedField[];
  readonly groups: readonly CollectedGroup[];
  /** `@defer`s that begin here, in document order. */
  readonly usages: readonly DeferUsage[];
}

interface Collecting {
  readonly key: string;
  readonly name: string;
  readonly fieldNodes: FieldNode[];
  readonly details: Detail<FieldNode>[];
}

/**
 * @param outer `@defer`s of the group with the fields.
 * @throws {GraphQLError} if a condition is null.
 */
export function collectDeferred(
  context: OperationContext,
  type: GraphQLObjectType,
  details: readonly Detail[],
  outer: readonly DeferUsage[],
): CollectedDeferred {
  const { schema, fragments, variableValues } = context;
  const collected = new Map<string, Collecting>();
  const visited = new Map<string, (DeferUsage | undefined)[]>();
  const usages: DeferUsage[] = [];
  for (const { node, usage } of details) if (node.selectionSet) collect(node.selectionSet, usage);
  return { ...groupsOf([...collected.values()], outer), usages };

  function collect(selectionSet: SelectionSetNode, usage: DeferUsage | undefined): void {
    for (const selection of selectionSet.selections) {
      if (selection.directives?.length && !isIncluded(context, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        addField(selection, usage);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (!fragment || !applies(schema, type, fragment.typeCondition?.name.value)) continue;
      const known = isSpread ? (visited.get(selection.name.value) ?? []) : [];
      const defer = deferOf(selection, variableValues);
      const own = defer ? begin(defer.label, usage, fragment.selectionSet) : usage;
      // Its fields are already collected, and delivered no later.
      if (known.some((one) => isWithin(usage, one))) continue;
      if (isSpread) visited.set(selection.name.value, [...known, own]);
      collect(fragment.selectionSet, own);
    }
  }

  function begin(
    label: string | undefined,
    parent: DeferUsage | undefined,
    selectionSet: SelectionSetNode,
  ): DeferUsage {
    let keys: readonly string[] | undefined;
    const usage = {
      label,
      parent,
      keys: () => (keys ??= [...keysOf(context, type, selectionSet)]),
    };
    usages.push(usage);
    return usage;
  }

  function addField(node: FieldNode, usage: DeferUsage | undefined): void {
    const key = node.alias?.value ?? node.name.value;
    let field = collected.get(key);
    if (!field) {
      field = { key, name: node.name.value, fieldNodes: [], details: [] };
      collected.set(key, field);
    }
    // A fragment can be spread in several `@defer`s.
    if (!field.fieldNodes.includes(node)) field.fieldNodes.push(node);
    field.details.push({ node, usage });
  }
}

/** Keys of the fields of a selection, without those of fragments with `@defer` in it. */
function keysOf(
  context: OperationContext,
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  keys = new Set<string>(),
  visited = new Set<string>(),
): ReadonlySet<string> {
  for (const selection of selectionSet.selections) {
    if (!isIncluded(context, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      keys.add(selection.alias?.value ?? selection.name.value);
      continue;
    }
    if (deferOf(selection, context.variableValues)) continue;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (!applies(context.schema, type, selection.typeCondition?.name.value)) continue;
      keysOf(context, type, selection.selectionSet, keys, visited);
      continue;
    }
    const name = selection.name.value;
    const fragment = context.fragments[name];
    if (!fragment || visited.has(name)) continue;
    visited.add(name);
    if (!applies(context.schema, type, fragment.typeCondition.name.value)) continue;
    keysOf(context, type, fragment.selectionSet, keys, visited);
  }
  return keys;
}

/** Whether `inner` is nested in `outer`. */
function isWithin(inner: DeferUsage | undefined, outer: DeferUsage | undefined): boolean {
  for (let usage = inner; usage; usage = usage.parent) if (usage === outer) return true;
  return outer === undefined;
}

function groupsOf(
  all: readonly Collecting[],
  outer: readonly DeferUsage[],
): Pick<CollectedDeferred, 'fields' | 'groups'> {
  const fields: DetailedField[] = [];
  const groups: { readonly usages: readonly DeferUsage[]; readonly fields: DetailedField[] }[] = [];
  for (const field of all) {
    const usages = outermostOf(field.details);
    if (isSame(usages, outer)) {
      fields.push(field);
      continue;
    }
    const group = groups.find((one) => isSame(one.usages, usages));
    if (group) group.fields.push(field);
    else groups.push({ usages, fields: [field] });
  }
  return { fields, groups };
}

/** The outermost `@defer`s of a field; none if it is also selected without one. */
function outermostOf(details: readonly Detail[]): readonly DeferUsage[] {
  const all = new Set<DeferUsage>();
  for (const { usage } of details) {
    if (!usage) return [];
    all.add(usage);
  }
  return [...all].filter(({ parent }) => {
    for (let usage = parent; usage; usage = usage.parent) if (all.has(usage)) return false;
    return true;
  });
}

const isSame = (a: readonly DeferUsage[], b: readonly DeferUsage[]): boolean =>
  a.length === b.length && a.every((usage) => b.includes(usage));
