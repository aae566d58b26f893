/**
 * Sample variables of an operation, whose plan holds for other values too.
 */
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { eachSelection } from '../execution/operation/collect-fields.ts';
import { coerceVariableValues, type VariableValues } from '../execution/operation/variables.ts';
import { findEntity } from '../graph/entity/entity.ts';
import { MAX_FIRST } from '../graph/loading/page-request.ts';
import { formatNodeId } from '../graph/types/node-id.ts';
import { dictionary } from '../lib/dictionary.ts';

export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Name of its innermost type. */
  readonly typename: string;
  readonly hasDefault: boolean;
  readonly isCursor: boolean;
  /** How its value may affect the number of calls and values; undefined if it does not. */
  readonly effect: 'size' | 'condition' | 'type' | 'list' | undefined;
}

/** Fields with ids of any type, which determine the selection. */
const BY_ANY_ID = new Set(['node', 'nodes', '_entities']);

export function variablesOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): readonly Variable[] {
  const cursors = new Set<string>();
  let takesAnyId = false;
  eachSelection(document, (one) => {
    if (one.kind !== Kind.FIELD) return;
    takesAnyId ||= BY_ANY_ID.has(one.name.value);
    for (const { name, value } of one.arguments ?? []) {
      if (value.kind !== Kind.VARIABLE) continue;
      if (name.value === 'after' || name.value === 'before') cursors.add(value.name.value);
    }
  });
  const effectOf = (type: GraphQLInputType, typename: string): Variable['effect'] => {
    if (isListType(getNullableType(type))) return 'list';
    if (typename === 'Int') return 'size';
    if (typename === 'Boolean') return 'condition';
    return typename === 'ID' && takesAnyId ? 'type' : undefined;
  };
  return variableDefinitions.flatMap(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) return [];
    const name = variable.name.value;
    const typename = getNamedType(type).name;
    return {
      name,
      type,
      typename,
      hasDefault: defaultValue !== undefined,
      isCursor: cursors.has(name),
      effect: effectOf(type, typename),
    };
  });
}

/**
 * Returns coerced sample variables without cursors, since a list with an invalid cursor costs nothing.
 *
 * @param sample returns undefined for a variable without a value.
 * @returns undefined if a sample is invalid.
 */
export function sampleVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: readonly Variable[],
  sample: (variable: Variable) => unknown,
): VariableValues | undefined {
  const values = dictionary<unknown>();
  for (const variable of variables) {
    const value = sample(variable);
    if (value !== undefined) values[variable.name] = value;
  }
  const { coerced } = coerceVariableValues(schema, operation, values);
  const cursors = variables.filter(({ isCursor }) => isCursor).map(({ name }) => name);
  return coerced && dictionary(Object.entries(coerced).filter(([name]) => !cursors.includes(name)));
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  Int: MAX_FIRST,
  SafeInt: MAX_FIRST,
  Float: 1,
  Boolean: true,
  DateTime: '2000-01-01T00:00:00.000Z',
  JSON: {},
};

/** Returns the global id of a sample object of a type; distinct for each number. */
export const sampleIdOf = (typename: string, number: number): string =>
  formatNodeId(
    typename,
    (findEntity(typename)?.key ?? ['']).map((_, i) => `${number}-${i}`),
  );

/** Returns a sample of a type, with this id for ids and strings. */
export function sampleOf(type: GraphQLInputType, id: string): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, id);
  if (isListType(type)) return [sampleOf(type.ofType, id)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type, id)]));
  }
  return SAMPLES[type.name] ?? id;
}
