/**
 * `@skip` and `@include`, decided before a document is compiled.
 *
 * The compiler loses fields of a fragment that is spread twice and once on a condition, and answers
 * fields that a condition excludes. So it gets documents without conditions, one for each way they
 * can come out, made by the rule that graphql-js has.
 */
import {
  BREAK,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { isIncluded } from '../graph/selection.ts';

/** Which variables have a say, and what each is now. */
export type Decisions = Readonly<Record<string, boolean>>;

/** The variables that decide what a document selects; undefined when it has no conditions at all. */
export function decidersOf(document: DocumentNode): readonly string[] | undefined {
  let names: Set<string> | undefined;
  visit(document, {
    Directive: (directive) => {
      if (!isCondition(directive)) return;
      names ??= new Set();
      for (const { value } of directive.arguments ?? []) {
        if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
    },
  });
  return names && [...names];
}

/** Undefined when one of them is no boolean, which execution will refuse. */
export function decisionsFor(
  deciders: readonly string[],
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Decisions | undefined {
  const decisions = Object.create(null) as Record<string, boolean>;
  for (const name of deciders) {
    const definition = variableDefinitions.find(({ variable }) => variable.name.value === name);
    // What is not declared decides about other operations only.
    const value = definition ? valueOf(definition, variables) : false;
    if (typeof value !== 'boolean') return undefined;
    decisions[name] = value;
  }
  return decisions;
}

/**
 * The document without what is excluded, and without conditions; undefined when that leaves a place
 * where nothing is selected.
 */
export function decided(
  document: DocumentNode,
  variableValues: Decisions,
): DocumentNode | undefined {
  let isEmpty = false;
  const enter = (node: SelectionNode): SelectionNode | null | undefined => {
    const { directives = [] } = node;
    if (!directives.some(isCondition)) return undefined;
    if (!isIncluded({ variableValues }, node)) return null;
    return { ...node, directives: directives.filter((one) => !isCondition(one)) };
  };
  const plain = visit(document, {
    Field: enter,
    FragmentSpread: enter,
    InlineFragment: enter,
    SelectionSet: {
      leave: ({ selections }) => {
        isEmpty = selections.length === 0;
        return isEmpty ? BREAK : undefined;
      },
    },
  });
  return isEmpty ? undefined : plain;
}

const isCondition = ({ name }: DirectiveNode): boolean =>
  name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name;

function valueOf(
  { variable, defaultValue }: VariableDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): unknown {
  const name = variable.name.value;
  if (Object.hasOwn(variables, name)) return variables[name];
  return defaultValue?.kind === Kind.BOOLEAN ? defaultValue.value : undefined;
}
