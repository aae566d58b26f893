/**
 * Validation of `@defer` and `@stream`: the rules of the incremental delivery proposal,
 * which graphql-js 16 does not have.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  OperationTypeNode,
  print,
  typeFromAST,
  type ASTVisitor,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type InlineFragmentNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { isIncremental, isStream } from '../operation/defer-and-stream.ts';

/** Labels name parts of the answer, so each is a text of its own and never a variable. */
function labelsAreUnique(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      if (!isIncremental(node)) return;
      const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
      if (!label || label.kind === Kind.NULL) return;
      if (label.kind !== Kind.STRING) {
        const message = `The label of "@${node.name.value}" must be a text, and no variable.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
        return;
      }
      const before = known.get(label.value);
      if (before) {
        const message = `The label "${label.value}" is given twice: give each "@defer" and "@stream" one of its own.`;
        context.reportError(new GraphQLError(message, { nodes: [before, node] }));
      } else known.set(label.value, node);
    },
  };
}

/** The fields of a mutation follow each other, and a subscription has one: neither can come later. */
function rootsAreWhole(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      if (!isIncremental(node)) return;
      const parent = context.getParentType();
      const schema = context.getSchema();
      const root = [schema.getMutationType(), schema.getSubscriptionType()].find(
        (type) => type && type === parent,
      );
      if (!root) return;
      const message = `"@${node.name.value}" cannot be used on fields of "${root.name}": use it on what they answer.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

/** Nothing says how the answers to a subscription would come in parts. */
function subscriptionsAreWhole(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const sets = [operation.selectionSet];
      for (const { selectionSet } of context.getRecursivelyReferencedFragments(operation)) {
        sets.push(selectionSet);
      }
      for (const directive of sets.flatMap(directivesIn)) {
        if (!isIncremental(directive) || maybeOff(directive)) continue;
        const message = `"@${directive.name.value}" cannot be used in a subscription: leave it out, or give it "if: false".`;
        context.reportError(new GraphQLError(message, { nodes: directive }));
      }
    },
  };
}

const directivesIn = ({ selections }: SelectionSetNode): DirectiveNode[] =>
  selections.flatMap((selection) => [
    ...(selection.directives ?? []),
    ...(selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet
      ? directivesIn(selection.selectionSet)
      : []),
  ]);

function maybeOff({ arguments: given = [] }: DirectiveNode): boolean {
  const condition = given.find(({ name }) => name.value === 'if')?.value;
  if (condition?.kind === Kind.VARIABLE) return true;
  return condition?.kind === Kind.BOOLEAN && !condition.value;
}

function onlyListsAreStreamed(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      if (!isStream(node)) return;
      const definition = context.getFieldDef();
      if (!definition || isListType(getNullableType(definition.type))) return;
      const message = `"@stream" is for lists, and "${definition.name}" is none.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

interface Place {
  readonly field: FieldNode;
  readonly parent: GraphQLNamedType | undefined;
}

/** Fields that end up in one place of the answer are streamed alike, or not at all. */
function streamsAgree(context: ValidationContext): ASTVisitor {
  return {
    Document({ definitions }) {
      const sets = definitions.flatMap((one) => ('selectionSet' in one ? one.selectionSet : []));
      if (!sets.flatMap(directivesIn).some(isStream)) return;
      const reported = new Set<FieldNode>();
      for (const definition of definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const root = context.getSchema().getRootType(definition.operation) ?? undefined;
        compare(context, [[definition.selectionSet, root]], reported);
      }
    },
  };
}

type TypedSet = readonly [SelectionSetNode, GraphQLNamedType | undefined];

function compare(
  context: ValidationContext,
  sets: readonly TypedSet[],
  reported: Set<FieldNode>,
): void {
  const places = new Map<string, Place[]>();
  const spread = new Set<string>();
  const collect = ([{ selections }, parent]: TypedSet): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const place = { field: selection, parent };
        places.set(key, [...(places.get(key) ?? []), place]);
        continue;
      }
      let fragment: InlineFragmentNode | FragmentDefinitionNode | null | undefined;
      if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection;
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        fragment = context.getFragment(selection.name.value);
      }
      if (!fragment) continue;
      const { selectionSet, typeCondition } = fragment;
      const type = typeCondition && typeFromAST(context.getSchema(), typeCondition);
      collect([selectionSet, type ?? parent]);
    }
  };
  sets.forEach(collect);
  for (const [key, fields] of places) {
    const differing = fields.find((one) =>
      fields.some(
        (other) => !areApart(one.parent, other.parent) && streamText(one) !== streamText(other),
      ),
    );
    if (differing && !reported.has(differing.field)) {
      reported.add(differing.field);
      const message = `"${key}" is selected with different "@stream" directives: use the same for all of them, or aliases.`;
      context.reportError(new GraphQLError(message, { nodes: fields.map(({ field }) => field) }));
    }
    const below = fields.flatMap(({ field, parent }): TypedSet[] => {
      const hasFields = isObjectType(parent) || isInterfaceType(parent);
      const type = hasFields ? parent.getFields()[field.name.value]?.type : undefined;
      return field.selectionSet ? [[field.selectionSet, type && getNamedType(type)]] : [];
    });
    if (below.length > 0) compare(context, below, reported);
  }
}

/** Objects of two types are never one. */
const areApart = (a: Place['parent'], b: Place['parent']): boolean =>
  a !== b && isObjectType(a) && isObjectType(b);

function streamText({ field: { directives = [] } }: Place): string {
  const node = directives.find(isStream);
  if (!node) return '';
  const given = (node.arguments ?? []).filter(({ name }) => name.value !== 'label');
  return `stream ${given
    .map((one) => print(one))
    .sort()
    .join()}`;
}

export const incrementalRules: readonly ValidationRule[] = [
  labelsAreUnique,
  rootsAreWhole,
  subscriptionsAreWhole,
  onlyListsAreStreamed,
  streamsAgree,
];
