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

/** The constant parts of `GraphQLResolveInfo`, required to read a selection. */
export interface OperationContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** A response key of a type: its field, and all nodes that select it. */
export interface CollectedField {
  /** Alias of the field, or else its name. */
  readonly key: string;
  readonly name: string;
  readonly fieldNodes: readonly FieldNode[];
}

/** A node with a selection set: a field or an operation. */
export interface Selecting {
  readonly selectionSet?: SelectionSetNode | undefined;
}

interface Selection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly CollectedField[];
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

/** Cache by array of nodes, which belongs to one execution, or one combination of conditions. */
const selections = new WeakMap<readonly Selecting[], Selection>();

/**
 * Collects the fields that `nodes` select on `type`, by response key, in document order.
 *
 * All items of a list, and all requests of a prepared operation, share the array.
 *
 * @throws {GraphQLError} if a condition is null.
 */
export function collectFields(
  context: OperationContext,
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
): readonly CollectedField[] {
  const found = selections.get(nodes);
  if (found?.type === type) return found.fields;
  const { schema, fragments } = context;
  const collected = new Map<string, { key: string; name: string; fieldNodes: FieldNode[] }>();
  const visited = new Set<string>();
  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  const fields = [...collected.values()];
  selections.set(nodes, { type, fields });
  return fields;

  function collect(selectionSet: SelectionSetNode): void {
    for (const selection of selectionSet.selections) {
      // Fragments are collected once; conditions of further spreads are not evaluated.
      if (selection.kind === Kind.FRAGMENT_SPREAD && visited.has(selection.name.value)) continue;
      if (selection.directives?.length && !isIncluded(context, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = collected.get(key);
        if (known) known.fieldNodes.push(selection);
        else collected.set(key, { key, name: selection.name.value, fieldNodes: [selection] });
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread) visited.add(selection.name.value);
      const fragment = isSpread ? fragments[selection.name.value] : selection;
      if (fragment && applies(schema, type, fragment.typeCondition?.name.value)) {
        collect(fragment.selectionSet);
      }
    }
  }
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
export function isIncluded({ variableValues }: OperationContext, node: SelectionNode): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  if (skip?.['if'] === true) return false;
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return include?.['if'] !== false;
}

export function applies(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  condition?: string,
): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && schema.isSubType(named, type);
}
