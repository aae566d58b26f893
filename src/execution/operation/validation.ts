/**
 * Validation rules in addition to those of graphql-js 16: subscription roots and numeric IDs.
 */
import {
  getNamedType,
  GraphQLError,
  GraphQLID,
  Kind,
  OperationTypeNode,
  SingleFieldSubscriptionsRule,
  type ASTVisitor,
  type DirectiveNode,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { fragmentsOf } from './collect-fields.ts';
import { ID_RANGE } from './variables.ts';

/**
 * Rejects `@skip` and `@include` at the root of a subscription, for which the rule of graphql-js throws or ignores the
 * condition.
 *
 * Source: https://spec.graphql.org/September2025/#sec-Single-Root-Field
 */
function singleRootField(context: ValidationContext): ASTVisitor {
  const others = SingleFieldSubscriptionsRule(context) as {
    OperationDefinition(node: OperationDefinitionNode): void;
  };
  return {
    OperationDefinition(operation) {
      if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const conditions = conditionsAtRoot(context, operation);
      if (conditions.length === 0) {
        others.OperationDefinition(operation);
        return;
      }
      const message = `\`@${conditions[0]!.name.value}\` is not allowed at the root of a subscription. Remove it, or use it below the root field.`;
      context.reportError(new GraphQLError(message, { nodes: conditions }));
    },
  };
}

/** Returns `@skip` and `@include` at the root, including fragments. */
function conditionsAtRoot(
  context: ValidationContext,
  { selectionSet }: OperationDefinitionNode,
): readonly DirectiveNode[] {
  const fragments = fragmentsOf(context.getDocument());
  const conditions: DirectiveNode[] = [];
  // Sets of fragments are added during iteration.
  const sets = new Set([selectionSet]);
  for (const { selections } of sets) {
    for (const one of selections) {
      conditions.push(...(one.directives ?? []).filter(({ name }) => CONDITIONS.has(name.value)));
      if (one.kind === Kind.FIELD) continue;
      const isSpread = one.kind === Kind.FRAGMENT_SPREAD;
      const inner = isSpread ? fragments[one.name.value]?.selectionSet : one.selectionSet;
      if (inner) sets.add(inner);
    }
  }
  return conditions;
}

const CONDITIONS: ReadonlySet<string> = new Set(['skip', 'include']);

/**
 * Rejects inexact numeric IDs as literals too, although a literal keeps its digits: as a variable it would lose them.
 */
function idsAreExact(context: ValidationContext): ASTVisitor {
  return {
    IntValue(node) {
      const type = context.getInputType();
      if (!type || getNamedType(type) !== GraphQLID) return;
      if (Number.isSafeInteger(Number(node.value))) return;
      const message = `${ID_RANGE} Got ${node.value.slice(0, 64)}.`;
      const extensions = { code: 'BAD_USER_INPUT' };
      context.reportError(new GraphQLError(message, { nodes: node, extensions }));
    },
  };
}

/** Rules in addition to those of the specification. */
export const operationRules: readonly ValidationRule[] = [idsAreExact];

/** Replaces faulty rules of graphql-js by ours. */
export const withoutFaults = (rules: readonly ValidationRule[]): readonly ValidationRule[] =>
  rules.map((rule) => (rule === SingleFieldSubscriptionsRule ? singleRootField : rule));
