/**
 * `CoerceVariableValues`: an operation's variables, with defaults and of the types they were declared with.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Coercing-Variable-Values
 */
import {
  getVariableValues,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  Kind,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';

export type VariableValues = Readonly<Record<string, unknown>>;

/** Either is undefined. */
interface CoercedVariables {
  readonly coerced?: VariableValues;
  readonly errors?: readonly GraphQLError[];
}

/** Each error repeats the input, so a thousand take seconds. */
const MAX_ERRORS = 10;

export function coerceVariableValues(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: VariableValues | null | undefined,
  hideSuggestions?: boolean | null,
  maxErrors = MAX_ERRORS,
): CoercedVariables {
  const given = sent ?? NONE;
  const plain = plainValues(schema, variableDefinitions, given);
  if (plain) return { coerced: plain };
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, given, {
    maxErrors,
    hideSuggestions: hideSuggestions ?? false,
  });
  return coerced ? { coerced: dictionary(Object.entries(coerced)) } : { errors };
}

const NONE: VariableValues = dictionary();

export type IsPlain = (value: unknown) => boolean;

/** What a type of the specification takes and answers as it is. */
export const PLAIN: ReadonlyMap<unknown, IsPlain> = new Map<unknown, IsPlain>([
  [GraphQLID, (value: unknown) => typeof value === 'string'],
  [GraphQLString, (value: unknown) => typeof value === 'string'],
  [GraphQLBoolean, (value: unknown) => typeof value === 'boolean'],
  [GraphQLInt, (value: unknown) => typeof value === 'number' && value === (value | 0)],
  [GraphQLFloat, (value: unknown) => typeof value === 'number' && Number.isFinite(value)],
]);

/** Values that need no coercion, as most do; undefined where one may. */
function plainValues(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  sent: VariableValues,
): VariableValues | undefined {
  const values = dictionary<unknown>();
  for (const { type, variable } of definitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    const name = variable.name.value;
    if (named.kind !== Kind.NAMED_TYPE) return undefined;
    const isPlain = PLAIN.get(schema.getType(named.name.value));
    if (!isPlain || !Object.hasOwn(sent, name) || !isPlain(sent[name])) return undefined;
    values[name] = sent[name];
  }
  return values;
}
