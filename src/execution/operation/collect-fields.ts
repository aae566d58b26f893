/**
 * `CollectFields`: what a document selects on a type.
 *
 * Fragments, aliases, variables, `@skip` and `@include` are honoured, so look-ahead and the plan
 * start and count exactly what execution asks for.
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

/** What is needed to read a selection: the parts of `GraphQLResolveInfo` that stay the same. */
export interface OperationContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** One response key below a type: its field, and every node that selects it. */
export interface CollectedField {
  /** The field's alias, or else its name. */
  readonly key: string;
  readonly name: string;
  readonly fieldNodes: readonly FieldNode[];
}

/** What selects fields: a field, or an operation. */
export interface Selecting {
  readonly selectionSet?: SelectionSetNode | undefined;
}

interface Selection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly CollectedField[];
}

/** What was collected. An array of nodes is of one execution, or of one outcome of all conditions. */
const selections = new WeakMap<readonly Selecting[], Selection>();

/**
 * The fields that `nodes` select on `type`, by response key, in document order.
 *
 * Every item of a list has the same nodes, and a prepared operation has them in every request.
 *
 * @throws {GraphQLError} when a condition is null.
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
      // A fragment is collected once; the condition of a second spread is not evaluated.
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
 * Sums up a selection with its fragments written out, whatever its types and conditions.
 *
 * @param of what is selected, with the sum of all below it: `none` itself for a fragment inside itself.
 * @param known sums of sets: a fragment is looked at once, however often it is spread.
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

/** @throws {GraphQLError} when a condition is null. */
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
