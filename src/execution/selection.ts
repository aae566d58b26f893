/**
 * What a query selects below a field, as the executor will see it.
 *
 * Fragments, aliases, variables, `@skip` and `@include` are honoured, so look-ahead and the plan
 * start and count exactly what execution would ask for.
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

/** What is needed to read a document: the parts of `GraphQLResolveInfo` that stay the same. */
export interface Document {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** One response key below a type: its field, and every place the document selects it. */
export interface Selected {
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
  readonly fields: readonly Selected[];
}

/** What was found. An array of nodes is of one execution, or of one way in which conditions come out. */
const selections = new WeakMap<readonly Selecting[], Selection>();

/**
 * The fields that `nodes` select on `type`, by response key, in document order.
 *
 * Every item of a list has the same nodes, and a prepared operation has them in every request.
 */
export function selectedFields(
  document: Document,
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
): readonly Selected[] {
  const found = selections.get(nodes);
  if (found?.type === type) return found.fields;
  const { schema, fragments } = document;
  const collected = new Map<string, { key: string; name: string; fieldNodes: FieldNode[] }>();
  const visited = new Set<string>();
  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  const fields = [...collected.values()];
  selections.set(nodes, { type, fields });
  return fields;

  function collect(selectionSet: SelectionSetNode): void {
    for (const selection of selectionSet.selections) {
      // Nobody asks for the condition of what was spread already.
      if (selection.kind === Kind.FRAGMENT_SPREAD && visited.has(selection.name.value)) continue;
      if (selection.directives?.length && !isIncluded(document, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = collected.get(key);
        if (known) known.fieldNodes.push(selection);
        else collected.set(key, { key, name: selection.name.value, fieldNodes: [selection] });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(schema, type, selection.typeCondition?.name.value)) {
          collect(selection.selectionSet);
        }
      } else {
        visited.add(selection.name.value);
        const fragment = fragments[selection.name.value];
        if (fragment && applies(schema, type, fragment.typeCondition.name.value)) {
          collect(fragment.selectionSet);
        }
      }
    }
  }
}

/** The fragments of a document, by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): Document['fragments'] =>
  Object.fromEntries(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );

/** Whether `@skip` and `@include` let a selection be. */
function isIncluded(
  { variableValues }: Pick<Document, 'variableValues'>,
  node: SelectionNode,
): boolean {
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
