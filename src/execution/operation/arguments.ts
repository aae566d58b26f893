/**
 * `CoerceArgumentValues`: the arguments of a field.
 *
 * Prepared once per document. Each call gets a new object; lists and input objects in it are shared.
 *
 * Source: https://spec.graphql.org/October2021/#sec-Coercing-Field-Arguments
 */
import {
  getArgumentValues,
  getNamedType,
  isEnumType,
  isNonNullType,
  isSpecifiedScalarType,
  Kind,
  valueFromAST,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type ValueNode,
} from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';
import type { OperationContext } from './collect-fields.ts';
import type { VariableValues } from './variables.ts';

export type ArgumentValues = Readonly<Record<string, unknown>>;

export type FieldDefinition = GraphQLField<unknown, unknown>;

/** An argument with a value or a default: a variable or a constant. */
interface PreparedArgument {
  readonly name: string;
  readonly variable: string | undefined;
  readonly value: unknown;
}

/** A field's arguments, prepared from the document. */
export class PreparedArguments {
  readonly definition: FieldDefinition;
  readonly #node: FieldNode;
  /** Undefined for invalid arguments, and for values other than whole variables and constants. */
  readonly #prepared: readonly PreparedArgument[] | undefined;

  constructor(definition: FieldDefinition, node: FieldNode) {
    this.definition = definition;
    this.#node = node;
    this.#prepared = prepareEach(definition, node);
  }

  /** @throws {GraphQLError} if they are invalid. */
  coerce(variableValues: VariableValues): ArgumentValues {
    if (!this.#prepared) return this.#coerceAll(variableValues);
    const values = dictionary<unknown>();
    for (const { name, variable, value } of this.#prepared) {
      if (variable === undefined) {
        values[name] = value;
        continue;
      }
      const given = Object.hasOwn(variableValues, variable) ? variableValues[variable] : undefined;
      // Null and missing values depend on the argument's type and default.
      if (given == null) return this.#coerceAll(variableValues);
      values[name] = given;
    }
    return values;
  }

  #coerceAll(variableValues: VariableValues): ArgumentValues {
    const coerced = getArgumentValues(this.definition, this.#node, variableValues);
    return dictionary(Object.entries(coerced));
  }
}

/** By node, latest definition only: a node on an interface selects fields of several types. */
const known = new WeakMap<FieldNode, PreparedArguments>();

export function prepareArguments(definition: FieldDefinition, node: FieldNode): PreparedArguments {
  let prepared = known.get(node);
  if (prepared?.definition !== definition) {
    prepared = new PreparedArguments(definition, node);
    known.set(node, prepared);
  }
  return prepared;
}

/**
 * Returns the arguments of a selected field.
 *
 * @throws {GraphQLError} if they are invalid.
 */
export const argumentsOf = (
  { variableValues }: OperationContext,
  definition: FieldDefinition,
  [node]: readonly FieldNode[],
): ArgumentValues => prepareArguments(definition, node!).coerce(variableValues);

function prepareEach(
  { args }: FieldDefinition,
  { arguments: given = [] }: FieldNode,
): PreparedArgument[] | undefined {
  const prepared: PreparedArgument[] = [];
  for (const { name, type, defaultValue } of args) {
    const node = given.find((argument) => argument.name.value === name)?.value;
    if (node?.kind === Kind.VARIABLE) {
      prepared.push({ name, variable: node.name.value, value: undefined });
      continue;
    }
    if (node && !isConstant(node, type)) return undefined;
    const value: unknown = node ? valueFromAST(node, type) : defaultValue;
    const isWrong = value === undefined && (node !== undefined || isNonNullType(type));
    if (isWrong) return undefined;
    if (value !== undefined) prepared.push({ name, variable: undefined, value });
  }
  return prepared;
}

/** Whether a literal always coerces to the same value; false for custom scalars. */
function isConstant({ kind }: ValueNode, type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  const isScalar = kind !== Kind.LIST && kind !== Kind.OBJECT;
  return isScalar && (isEnumType(named) || isSpecifiedScalarType(named));
}
