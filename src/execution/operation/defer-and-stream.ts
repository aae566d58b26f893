/**
 * `@defer` and `@stream` of the incremental delivery proposal.
 *
 * Source: https://github.com/graphql/graphql-spec/pull/1110
 */
import {
  DirectiveLocation,
  getDirectiveValues,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLError,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  type DirectiveNode,
  type FieldNode,
  type SelectionNode,
} from 'graphql';
import type { VariableValues } from './variables.ts';

const CONDITION = {
  type: new GraphQLNonNull(GraphQLBoolean),
  defaultValue: true,
  description: 'Whether delivery may be deferred. False keeps it in the initial response.',
};
const LABEL = {
  type: GraphQLString,
  description: 'Label of this part of the response, unique in the document.',
};

export const DeferDirective = new GraphQLDirective({
  name: 'defer',
  description:
    'Allows the fragment to arrive in a later part of the response, if the client accepts `multipart/mixed`.',
  locations: [DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT],
  args: { if: CONDITION, label: LABEL },
});

export const StreamDirective = new GraphQLDirective({
  name: 'stream',
  description:
    'Allows items of the list to arrive in later parts of the response, if the client accepts `multipart/mixed`.',
  locations: [DirectiveLocation.FIELD],
  args: {
    if: CONDITION,
    label: LABEL,
    initialCount: {
      type: new GraphQLNonNull(GraphQLInt),
      defaultValue: 0,
      description: 'Number of items in the initial response.',
    },
  },
});

const isDefer = ({ name }: DirectiveNode): boolean => name.value === DeferDirective.name;
export const isStream = ({ name }: DirectiveNode): boolean => name.value === StreamDirective.name;

/** Whether a directive is `@defer` or `@stream`. */
export const isIncremental = (node: DirectiveNode): boolean => isDefer(node) || isStream(node);

/**
 * Returns the arguments of `@defer`; undefined if the fragment is not deferred.
 *
 * @throws {GraphQLError} if its condition is null.
 */
export function deferOf(
  node: SelectionNode,
  variableValues: VariableValues,
): { readonly label: string | undefined } | undefined {
  if (!node.directives?.length) return undefined;
  const values = getDirectiveValues(DeferDirective, node, variableValues);
  return values && values['if'] !== false ? { label: labelOf(values) } : undefined;
}

/**
 * Returns the arguments of `@stream`; undefined if the list is not streamed.
 *
 * @throws {GraphQLError} for an invalid argument.
 */
export function streamOf(
  node: FieldNode,
  variableValues: VariableValues,
): { readonly label: string | undefined; readonly initialCount: number } | undefined {
  const values = getDirectiveValues(StreamDirective, node, variableValues);
  if (!values || values['if'] === false) return undefined;
  const initialCount = values['initialCount'] as number; // declared as Int!
  if (initialCount < 0) {
    throw new GraphQLError('"initialCount" must not be negative.', { nodes: node });
  }
  return { label: labelOf(values), initialCount };
}

/** Declared as String. */
const labelOf = ({ label }: Readonly<Record<string, unknown>>): string | undefined =>
  (label as string | null | undefined) ?? undefined;
