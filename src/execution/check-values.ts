/**
 * Checks the conditions and arguments of a whole operation before it is executed.
 *
 * Execution evaluates them as it reaches them, when a mutation has already written.
 */
import {
  getNamedType,
  isCompositeType,
  Kind,
  type GraphQLCompositeType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { deferOf, streamOf } from './incremental/defer-and-stream.ts';
import { prepareArguments } from './operation/arguments.ts';
import { isIncluded, type OperationContext } from './operation/collect-fields.ts';
import { definitionOf } from './operation/prepared-selection.ts';

/** @throws {GraphQLError} for a condition or an argument that is null or invalid for the given variables. */
export function checkValues(
  context: OperationContext,
  { operation, selectionSet }: OperationDefinitionNode,
): void {
  const { schema, fragments, variableValues } = context;
  const visited = new Set<string>();
  const root = schema.getRootType(operation);
  if (root) visit(root, selectionSet);

  function visit(type: GraphQLCompositeType, { selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (!isIncluded(context, node)) continue;
      if (node.kind === Kind.FIELD) {
        streamOf(node, variableValues);
        const definition = definitionOf(schema, type, node.name.value);
        if (!definition) continue;
        if (definition.args.length > 0) prepareArguments(definition, node).coerce(variableValues);
        const below = getNamedType(definition.type);
        if (node.selectionSet && isCompositeType(below)) visit(below, node.selectionSet);
        continue;
      }
      deferOf(node, variableValues);
      const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
      if (isSpread && visited.has(node.name.value)) continue;
      if (isSpread) visited.add(node.name.value);
      const fragment = isSpread ? fragments[node.name.value] : node;
      const condition = fragment?.typeCondition?.name.value;
      const within = condition === undefined ? type : schema.getType(condition);
      if (fragment && isCompositeType(within)) visit(within, fragment.selectionSet);
    }
  }
}
