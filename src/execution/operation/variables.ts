/**
 * `CoerceVariableValues`: coerces an operation's variables and applies defaults.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Coercing-Variable-Values
 */
import {
  getNullableType,
  getVariableValues,
  GraphQLError,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isInputObjectType,
  isInputType,
  isListType,
  Kind,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
  type VariableNode,
} from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';

export type VariableValues = Readonly<Record<string, unknown>>;

/** Exactly one is defined. */
interface CoercedVariables {
  readonly coerced?: VariableValues;
  readonly errors?: readonly GraphQLError[];
}

/** Maximum number of errors: each repeats the input, so a thousand take seconds. */
export const MAX_ERRORS = 10;

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
  const inexact = inexactIds(schema, variableDefinitions, given, maxErrors);
  if (inexact.length > 0) return { errors: inexact };
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, given, {
    maxErrors,
    hideSuggestions: hideSuggestions ?? false,
  });
  return coerced ? { coerced: dictionary(Object.entries(coerced)) } : { errors };
}

const NONE: VariableValues = dictionary();

export type IsPlain = (value: unknown) => boolean;

/** Predicates for values that standard scalars accept and return unchanged. */
export const PLAIN_SCALARS: ReadonlyMap<unknown, IsPlain> = new Map<unknown, IsPlain>([
  [GraphQLID, (value: unknown) => typeof value === 'string'],
  [GraphQLString, (value: unknown) => typeof value === 'string'],
  [GraphQLBoolean, (value: unknown) => typeof value === 'boolean'],
  [GraphQLInt, (value: unknown) => typeof value === 'number' && value === (value | 0)],
  [GraphQLFloat, (value: unknown) => typeof value === 'number' && Number.isFinite(value)],
]);

/** Message for an inexact numeric ID, which could name another object. */
export const ID_RANGE = `Numeric IDs must be integers of at most ${Number.MAX_SAFE_INTEGER}. Send other IDs as strings.`;

/** Finds inexact numeric IDs in variables. */
function inexactIds(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  sent: VariableValues,
  maxErrors: number,
): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  for (const { type, variable } of definitions) {
    const inputType = typeFromAST(schema, type as NamedTypeNode);
    const name = variable.name.value;
    // graphql-js rejects types other than input types.
    if (isInputType(inputType) && Object.hasOwn(sent, name))
      visit(sent[name], inputType, name, variable);
  }
  return errors;

  function visit(value: unknown, type: GraphQLInputType, path: string, node: VariableNode): void {
    if (errors.length >= maxErrors) return;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      // graphql-js accepts a single item as a list.
      if (!Array.isArray(value)) visit(value, nullable.ofType, path, node);
      else value.forEach((item, i) => visit(item, nullable.ofType, `${path}[${i}]`, node));
    } else if (isInputObjectType(nullable)) {
      if (typeof value !== 'object' || value === null) return;
      for (const { name, type: inner } of Object.values(nullable.getFields())) {
        if (Object.hasOwn(value, name)) {
          visit((value as VariableValues)[name], inner, `${path}.${name}`, node);
        }
      }
    } else if (nullable === GraphQLID && isInexact(value)) {
      const { value: name } = node.name;
      const place = path === name ? '' : ` at "${path}"`;
      const message = `Variable "$${name}" got invalid value ${String(value)}${place}; ${ID_RANGE}`;
      errors.push(new GraphQLError(message, { nodes: node }));
    }
  }
}

/** graphql-js rejects non-integers. */
const isInexact = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value);

/** Fast path: returns the values if none needs coercion; undefined otherwise. */
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
    const isPlain = PLAIN_SCALARS.get(schema.getType(named.name.value));
    if (!isPlain || !Object.hasOwn(sent, name) || !isPlain(sent[name])) return undefined;
    values[name] = sent[name];
  }
  return values;
}
