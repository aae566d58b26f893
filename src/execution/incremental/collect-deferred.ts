/**
 * What a document selects on a type, sorted by what may come later: `CollectFields` and
 * `BuildExecutionPlan` of the incremental delivery proposal.
 *
 * Each field is answered once: one that is selected with and without `@defer` is not deferred.
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

/** One `@defer` where it stands. */
export interface DeferUsage {
  readonly label: string | undefined;
  /** The one that it stands in. */
  readonly parent: DeferUsage | undefined;
}

/** What selects fields, and the `@defer` that it stands in. */
export interface Detail<Node extends Selecting = Selecting> {
  readonly node: Node;
  readonly usage: DeferUsage | undefined;
}

export interface DetailedField extends CollectedField {
  readonly details: readonly Detail<FieldNode>[];
}

/** Fields that come together, and all the `@defer`s that have selected them. */
interface CollectedGroup {
  readonly usages: readonly DeferUsage[];
  readonly fields: readonly DetailedField[];
}

export interface CollectedDeferred {
  /** What is not deferred any further. */
  readonly fields: readonly DetailedField[];
  readonly groups: readonly CollectedGroup[];
  /** Those that begin here, in document order. */
  readonly usages: readonly DeferUsage[];
}

interface Collecting {
  readonly key: string;
  readonly name: string;
  readonly fieldNodes: FieldNode[];
  readonly details: Detail<FieldNode>[];
}

/**
 * @param outer the `@defer`s of the group that the fields stand in.
 * @throws {GraphQLError} when a condition is null.
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
      // Its fields are there, and come no later than these would.
      if (known.some((one) => isWithin(usage, one))) continue;
      const defer = deferOf(selection, variableValues);
      const own = defer ? begin(defer.label, usage) : usage;
      if (isSpread) visited.set(selection.name.value, [...known, own]);
      collect(fragment.selectionSet, own);
    }
  }

  function begin(label: string | undefined, parent: DeferUsage | undefined): DeferUsage {
    const usage = { label, parent };
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
    // A fragment may be spread in several `@defer`s.
    if (!field.fieldNodes.includes(node)) field.fieldNodes.push(node);
    field.details.push({ node, usage });
  }
}

/** Whether what stands in `inner` stands in `outer` as well. */
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

/** The `@defer`s that a field waits for; none where it is selected without one as well. */
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
