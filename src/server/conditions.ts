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
} from 'graphql';

/** Which variables have a say, and what each is now. */
export type Decisions = ReadonlyMap<string, boolean>;

const CONDITIONS: readonly string[] = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

/** The variables that decide what a document selects; undefined when it has no conditions at all. */
export function decidersOf(document: DocumentNode): readonly string[] | undefined {
  let names: Set<string> | undefined;
  visit(document, {
    Directive: (directive) => {
      if (!isCondition(directive)) return;
      names ??= new Set();
      const value = valueOf(directive);
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
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
  const decisions = new Map<string, boolean>();
  for (const name of deciders) {
    const definition = variableDefinitions.find(({ variable }) => variable.name.value === name);
    // Fragments of other operations may have others.
    if (!definition) continue;
    const { defaultValue } = definition;
    const preset = defaultValue?.kind === Kind.BOOLEAN ? defaultValue.value : undefined;
    const value = Object.hasOwn(variables, name) ? variables[name] : preset;
    if (typeof value !== 'boolean') return undefined;
    decisions.set(name, value);
  }
  return decisions;
}

/**
 * The document without what is excluded, and without conditions; undefined when that leaves a place
 * where nothing is selected.
 */
export function decided(document: DocumentNode, decisions: Decisions): DocumentNode | undefined {
  let isEmpty = false;
  const holds = (directive: DirectiveNode): boolean => {
    const value = valueOf(directive);
    const on =
      value?.kind === Kind.VARIABLE
        ? decisions.get(value.name.value)
        : value?.kind === Kind.BOOLEAN && value.value;
    return on === (directive.name.value === GraphQLIncludeDirective.name);
  };
  const selection = {
    enter: <Node extends { readonly directives?: readonly DirectiveNode[] | undefined }>(
      node: Node,
    ) => {
      const { directives = [] } = node;
      const conditions = directives.filter(isCondition);
      if (conditions.length === 0) return undefined;
      if (!conditions.every(holds)) return null;
      return { ...node, directives: directives.filter((one) => !isCondition(one)) };
    },
  };
  const plain = visit(document, {
    Field: selection,
    FragmentSpread: selection,
    InlineFragment: selection,
    SelectionSet: {
      leave: ({ selections }) => {
        isEmpty = selections.length === 0;
        return isEmpty ? BREAK : undefined;
      },
    },
  });
  return isEmpty ? undefined : plain;
}

const isCondition = ({ name }: DirectiveNode): boolean => CONDITIONS.includes(name.value);

const valueOf = (directive: DirectiveNode) =>
  directive.arguments?.find(({ name }) => name.value === 'if')?.value;
