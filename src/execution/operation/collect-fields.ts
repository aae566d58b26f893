/**
 * `CollectFields`: the fields that a document selects on a type.
 *
 * Shared by execution, prefetching and the plan, so they agree on fragments, aliases, variables, `@skip` and
 * `@include`.
 *
 * Source: https://spec.graphql.org/October2021/#CollectFields()
 */
import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  getDirectiveValues,
  isAbstractType,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';
import { deferOf } from './defer-and-stream.ts';

/** The constant parts of `GraphQLResolveInfo`, required to read a selection. */
export interface OperationContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
  /** Whether `@defer` and `@stream` apply; otherwise they are ignored. @default false */
  readonly isIncremental?: boolean | undefined;
}

/** An occurrence of `@defer`. */
export interface DeferUsage {
  readonly node: SelectionNode;
  readonly label: string | undefined;
  /** Enclosing `@defer`. */
  readonly parent: DeferUsage | undefined;
  /** Returns the keys of its fields, including those that are also selected elsewhere. */
  readonly keys: () => readonly string[];
}

/** A node with a selection set: a field or an operation. */
export interface Selecting {
  readonly selectionSet?: SelectionSetNode | undefined;
  /** Enclosing `@defer`. */
  readonly usage?: DeferUsage | undefined;
}

/** A response key of a type: its field, and all nodes that select it. */
export interface CollectedField {
  /** Alias of the field, or else its name. */
  readonly key: string;
  readonly name: string;
  readonly fieldNodes: readonly FieldNode[];
  /** Its nodes with their `@defer`s. */
  readonly selecting: readonly Selecting[];
  /** Its outermost `@defer`s; none if it is also selected without one. */
  readonly usages: readonly DeferUsage[];
}

export interface CollectedFields {
  readonly fields: readonly CollectedField[];
  /** `@defer`s that begin here, in document order. */
  readonly begun: readonly DeferUsage[];
}

/**
 * Calls back for each selection of a document, in unused fragments too. graphql-js's `visit` prepares a table of all
 * kinds of nodes before the first.
 */
export function eachSelection(
  { definitions }: DocumentNode,
  callback: (selection: SelectionNode) => void,
): void {
  // Sets of selections are added during iteration.
  const sets = definitions.flatMap((one) => ('selectionSet' in one ? [one.selectionSet] : []));
  for (const { selections } of sets) {
    for (const one of selections) {
      callback(one);
      if (one.kind !== Kind.FRAGMENT_SPREAD && one.selectionSet) sets.push(one.selectionSet);
    }
  }
}

/**
 * Collects the fields that `nodes` select on `type`, by response key, in document order.
 *
 * @throws {GraphQLError} if a condition is null.
 */
export function collectFields(
  context: OperationContext,
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
): CollectedFields {
  const { schema, fragments, variableValues, isIncremental = false } = context;
  const collected = new Map<string, { nodes: Set<FieldNode>; selecting: Selecting[] }>();
  /** The `@defer`s around each fragment that was collected. */
  const visited = new Map<string, (DeferUsage | undefined)[]>();
  const begun: DeferUsage[] = [];
  for (const { selectionSet, usage } of nodes) if (selectionSet) collect(selectionSet, usage);
  const fields = [...collected].map(([key, { nodes, selecting }]) => {
    // A fragment can be spread in several `@defer`s.
    const fieldNodes = [...nodes];
    return {
      key,
      name: fieldNodes[0]!.name.value,
      fieldNodes,
      selecting,
      usages: outermostOf(selecting),
    };
  });
  return { fields, begun };

  function collect({ selections }: SelectionSetNode, usage: DeferUsage | undefined): void {
    for (const selection of selections) {
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const known = isSpread ? (visited.get(selection.name.value) ?? []) : [];
      // Conditions of further spreads are not evaluated.
      if (known.length > 0 && !isIncremental) continue;
      if (selection.directives?.length && !isIncluded(context, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        let field = collected.get(key);
        if (!field) collected.set(key, (field = { nodes: new Set(), selecting: [] }));
        field.nodes.add(selection);
        const { selectionSet } = selection;
        field.selecting.push(usage ? { selectionSet, usage } : selection);
        continue;
      }
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (!fragment || !applies(schema, type, fragment.typeCondition?.name.value)) continue;
      const defer = isIncremental ? deferOf(selection, variableValues) : undefined;
      const own = defer ? begin(selection, defer.label, usage, fragment) : usage;
      // Its fields are already collected, and delivered no later.
      if (known.some((one) => isWithin(usage, one))) continue;
      if (isSpread) visited.set(selection.name.value, [...known, own]);
      collect(fragment.selectionSet, own);
    }
  }

  function begin(
    node: SelectionNode,
    label: string | undefined,
    parent: DeferUsage | undefined,
    { selectionSet }: Selecting,
  ): DeferUsage {
    let keys: readonly string[] | undefined;
    const usage = {
      node,
      label,
      parent,
      keys: () =>
        (keys ??= collectFields(context, type, [{ selectionSet }])
          .fields.filter(({ usages }) => usages.length === 0)
          .map(({ key }) => key)),
    };
    begun.push(usage);
    return usage;
  }
}

/** Whether `inner` is nested in `outer`. */
function isWithin(inner: DeferUsage | undefined, outer: DeferUsage | undefined): boolean {
  for (let usage = inner; usage; usage = usage.parent) if (usage === outer) return true;
  return outer === undefined;
}

function outermostOf(selecting: readonly Selecting[]): readonly DeferUsage[] {
  if (selecting.some(({ usage }) => !usage)) return [];
  const all = [...new Set(selecting.map(({ usage }) => usage!))];
  return all.filter((usage) => !all.some((one) => one !== usage && isWithin(usage, one)));
}

/**
 * Folds a selection with inlined fragments, for all types and conditions.
 *
 * @param of combines a selection with the sum below it; `none` for a fragment inside itself.
 * @param known memoised sums of selection sets.
 */
export function sumSelections<Sum>(
  set: SelectionSetNode,
  fragments: OperationContext['fragments'],
  none: Sum,
  plus: (a: Sum, b: Sum) => Sum,
  of: (selection: SelectionNode, below: Sum) => Sum,
  known = new Map<SelectionSetNode, Sum>(),
): Sum {
  const found = known.get(set);
  if (found !== undefined) return found;
  known.set(set, none);
  let sum = none;
  for (const one of set.selections) {
    const isSpread = one.kind === Kind.FRAGMENT_SPREAD;
    const inner = isSpread ? fragments[one.name.value]?.selectionSet : one.selectionSet;
    sum = plus(sum, of(one, inner ? sumSelections(inner, fragments, none, plus, of, known) : none));
  }
  known.set(set, sum);
  return sum;
}

export const fragmentsOf = ({ definitions }: DocumentNode): OperationContext['fragments'] =>
  dictionary(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node] as const),
  );

/** @throws {GraphQLError} if a condition is null. */
function isIncluded({ variableValues }: OperationContext, node: SelectionNode): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  if (skip?.['if'] === true) return false;
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return include?.['if'] !== false;
}

function applies(schema: GraphQLSchema, type: GraphQLObjectType, condition?: string): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
