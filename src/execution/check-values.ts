/**
 * Checks the conditions and arguments of a whole operation before it is executed.
 *
 * Execution evaluates them as it reaches them, when a mutation has already written.
 */
import { getNamedType, isAbstractType, isObjectType } from 'graphql';
import { streamOf } from './operation/defer-and-stream.ts';
import type { OperationContext } from './operation/collect-fields.ts';
import type { PreparedField, PreparedSelection } from './operation/prepared-selection.ts';

/** @throws {GraphQLError} for a condition or an argument that is null or invalid for the given variables. */
export function checkValues(
  { fields, groups }: PreparedSelection,
  context: OperationContext,
): void {
  for (const field of fields) {
    field.arguments?.coerce(context.variableValues);
    if (field.stream) streamOf(field.stream, context.variableValues);
    for (const type of objectTypesOf(field, context))
      checkValues(field.below(type, context), context);
  }
  for (const group of groups) checkValues(group, context);
}

/** Returns the types of objects of a field. */
function objectTypesOf({ definition }: PreparedField, { schema }: OperationContext) {
  const type = getNamedType(definition.type);
  if (isObjectType(type)) return [type];
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}
