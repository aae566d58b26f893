/**
 * A field's arguments: worked out once where no variable has a say in them, and otherwise when an
 * execution asks.
 */
import {
  BREAK,
  getArgumentValues,
  Kind,
  visit,
  type FieldNode,
  type GraphQLField,
  type ValueNode,
} from 'graphql';
import type { Document, Selected } from './selection.ts';

export type Arguments = Readonly<Record<string, unknown>>;

type Definition = GraphQLField<unknown, unknown>;

const NONE: Arguments = Object.freeze({});

/** A node stands for the fields of several types where it is selected on an interface. */
const found = new WeakMap<FieldNode, { definition: Definition; fixed: Arguments | undefined }>();

/** The arguments of a field, whatever the variables; undefined when these matter, and for wrong ones. */
export function fixedArguments(definition: Definition, node: FieldNode): Arguments | undefined {
  if (definition.args.length === 0) return NONE;
  const known = found.get(node);
  if (known?.definition === definition) return known.fixed;
  const fixed = node.arguments?.some(({ value }) => hasVariable(value))
    ? undefined
    : argumentsIn(definition, node, {});
  found.set(node, { definition, fixed: fixed && Object.freeze(fixed) });
  return fixed;
}

/** The arguments of a selected field; undefined when they are wrong, which execution will report. */
export const argumentsOf = (
  { variableValues }: Document,
  definition: Definition,
  { fieldNodes: [node] }: Selected,
): Arguments | undefined =>
  fixedArguments(definition, node!) ?? argumentsIn(definition, node!, variableValues);

function argumentsIn(
  definition: Definition,
  node: FieldNode,
  variables: Arguments,
): Arguments | undefined {
  try {
    return getArgumentValues(definition, node, variables);
  } catch {
    return undefined;
  }
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
