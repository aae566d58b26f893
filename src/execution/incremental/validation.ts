/**
 * Validation rules of the incremental delivery proposal for `@defer` and `@stream`, which graphql-js 16 lacks.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  getNullableType,
  GraphQLError,
  isListType,
  Kind,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  validate,
  visit,
  type ArgumentNode,
  type ASTVisitor,
  type DirectiveNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { isIncremental, isStream, StreamDirective } from '../operation/defer-and-stream.ts';

/** Labels must be unique literals. */
function labelsAreUnique(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      if (!isIncremental(node)) return;
      const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
      if (!label || label.kind === Kind.NULL) return;
      if (label.kind !== Kind.STRING) {
        const message = `The label of \`@${node.name.value}\` must be a string literal, not a variable.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
        return;
      }
      const before = known.get(label.value);
      if (before) {
        const message = `The label "${label.value}" is used twice. Labels of \`@defer\` and \`@stream\` must be unique.`;
        context.reportError(new GraphQLError(message, { nodes: [before, node] }));
      } else known.set(label.value, node);
    },
  };
}

/** Root fields of mutations and subscriptions cannot be deferred or streamed. */
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
      const message = `\`@${node.name.value}\` is not allowed on fields of \`${root.name}\`. Use it below them.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

/** Subscriptions cannot use `@defer` or `@stream`, since their incremental delivery is not specified. */
function subscriptionsAreWhole(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const sets = [operation.selectionSet];
      for (const { selectionSet } of context.getRecursivelyReferencedFragments(operation)) {
        sets.push(selectionSet);
      }
      const Directive = (node: DirectiveNode): void => {
        if (!isIncremental(node) || maybeOff(node)) return;
        const message = `\`@${node.name.value}\` is not allowed in a subscription. Remove it, or disable it with \`if: false\`.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      };
      for (const set of sets) visit(set, { Directive });
    },
  };
}

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
      const message = `\`@stream\` requires a list, and \`${definition.name}\` is none.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

/** Fields at one response position must have equal `@stream`s, or none. */
function streamsAgree(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      let isStreamed = false;
      // The rule of graphql-js compares arguments, so those of `@stream` replace the field's own.
      const compared = visit(document, {
        Field: (node) => {
          const stream = node.directives?.find(isStream);
          isStreamed ||= stream !== undefined;
          return { ...node, arguments: stream ? [streamArgument(stream)] : [] };
        },
      });
      if (!isStreamed) return;
      const errors = validate(context.getSchema(), compared, [OverlappingFieldsCanBeMergedRule]);
      for (const { message, nodes } of errors) {
        const ofStream = message.replace('differing arguments', 'different `@stream` directives');
        // Other conflicts are reported for the original document.
        if (ofStream !== message) {
          context.reportError(new GraphQLError(ofStream, { nodes: nodes ?? null }));
        }
      }
    },
  };
}

/** All arguments of a `@stream` other than its label, as one object argument. */
function streamArgument({ arguments: given = [] }: DirectiveNode): ArgumentNode {
  const fields = given
    .filter(({ name }) => name.value !== 'label')
    .map(({ name, value }) => ({ kind: Kind.OBJECT_FIELD as const, name, value }));
  const name = { kind: Kind.NAME as const, value: StreamDirective.name };
  return { kind: Kind.ARGUMENT, name, value: { kind: Kind.OBJECT, fields } };
}

export const incrementalRules: readonly ValidationRule[] = [
  labelsAreUnique,
  rootsAreWhole,
  subscriptionsAreWhole,
  onlyListsAreStreamed,
  streamsAgree,
];
