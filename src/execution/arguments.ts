/**
 * A field's arguments: worked out once where no variable has a say in them, put together from
 * values at hand where they are variables, and left to graphql-js where there is more to it.
 */
import {
  BREAK,
  getArgumentValues,
  isNonNullType,
  Kind,
  valueFromAST,
  visit,
  type FieldNode,
  type GraphQLField,
  type ValueNode,
} from 'graphql';
import type { Document, Selected } from './selection.ts';

export type Arguments = Readonly<Record<string, unknown>>;

type Definition = GraphQLField<unknown, unknown>;

/** An argument that is given or has a default: as a variable, or with its value. */
interface Part {
  readonly name: string;
  readonly variable: string | undefined;
  readonly value: unknown;
}

interface Prepared {
  /** Undefined where variables have a say, and for wrong ones. */
  readonly fixed: Arguments | undefined;
  /** Undefined where a variable is only a part of a value, and for wrong ones. */
  readonly parts: readonly Part[] | undefined;
}

const NONE: Prepared = { fixed: Object.freeze({}), parts: [] };

/** A node stands for the fields of several types where it is selected on an interface. */
const prepared = new WeakMap<FieldNode, Prepared & { readonly definition: Definition }>();

/** The arguments of a field, whatever the variables; undefined when these matter, and for wrong ones. */
export const fixedArguments = (definition: Definition, node: FieldNode): Arguments | undefined =>
  preparedFor(definition, node).fixed;

/**
 * The arguments of a field.
 *
 * @throws {GraphQLError} when they are wrong.
 */
export function argumentValues(
  definition: Definition,
  node: FieldNode,
  variables: Arguments,
): Arguments {
  const { fixed, parts } = preparedFor(definition, node);
  return (
    fixed ?? (parts && together(parts, variables)) ?? getArgumentValues(definition, node, variables)
  );
}

/** The arguments of a selected field; undefined when they are wrong, which execution will report. */
export function argumentsOf(
  { variableValues }: Document,
  definition: Definition,
  { fieldNodes: [node] }: Selected,
): Arguments | undefined {
  try {
    return argumentValues(definition, node!, variableValues);
  } catch {
    return undefined;
  }
}

function preparedFor(definition: Definition, node: FieldNode): Prepared {
  if (definition.args.length === 0) return NONE;
  let known = prepared.get(node);
  if (known?.definition !== definition) {
    const parts = partsOf(definition, node);
    const isFixed = parts?.every(({ variable }) => variable === undefined);
    known = { definition, parts, fixed: isFixed ? Object.freeze(together(parts!, {})) : undefined };
    prepared.set(node, known);
  }
  return known;
}

function partsOf({ args }: Definition, { arguments: given = [] }: FieldNode): Part[] | undefined {
  const parts: Part[] = [];
  for (const { name, type, defaultValue } of args) {
    const node = given.find((argument) => argument.name.value === name)?.value;
    if (node?.kind === Kind.VARIABLE) {
      parts.push({ name, variable: node.name.value, value: undefined });
      continue;
    }
    if (node && hasVariable(node)) return undefined;
    const value: unknown = node ? valueFromAST(node, type) : defaultValue;
    const isWrong = value === undefined && (node !== undefined || isNonNullType(type));
    if (isWrong) return undefined;
    if (value !== undefined) parts.push({ name, variable: undefined, value });
  }
  return parts;
}

/** Undefined where a variable is null or absent: what it comes to then, depends on its argument. */
function together(parts: readonly Part[], variables: Arguments): Arguments | undefined {
  const values: Record<string, unknown> = {};
  for (const { name, variable, value } of parts) {
    if (variable === undefined) {
      values[name] = value;
      continue;
    }
    const given = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (given == null) return undefined;
    values[name] = given;
  }
  return values;
}

function hasVariable(value: ValueNode): boolean {
  let has = false;
  visit(value, {
    [Kind.VARIABLE]: () => {
      has = true;
      return BREAK;
    },
  });
  return has;
}
