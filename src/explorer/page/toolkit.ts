/**
 * GraphiQL's toolkit, which the build replaces by this module: its "Merge fragments" drops `@include`, `@skip` and
 * `@defer` of spreads, and does not terminate for fragments that spread themselves.
 */
import { mergeAst as mergeWithoutDirectives } from '@graphiql/toolkit';
import {
  GraphQLSchema,
  Kind,
  NoFragmentCyclesRule,
  validate,
  visit,
  type ASTNode,
  type DocumentNode,
  type InlineFragmentNode,
} from 'graphql';

export * from '@graphiql/toolkit';

export function mergeAst(document: DocumentNode, schema?: GraphQLSchema | null): DocumentNode {
  const anySchema = schema ?? new GraphQLSchema({ assumeValid: true });
  if (validate(anySchema, document, [NoFragmentCyclesRule]).length > 0) return document;
  return mergeWithoutDirectives(withInlineDirectives(document), schema);
}

/** Replaces spreads with directives by inline fragments with them, which the toolkit keeps. */
function withInlineDirectives(document: DocumentNode): DocumentNode {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const inlined = <Node extends ASTNode>(root: Node): Node =>
    visit(root, {
      FragmentSpread: {
        leave({ name, directives = [] }): InlineFragmentNode | undefined {
          const fragment = fragments.get(name.value);
          if (!fragment || directives.length === 0) return undefined;
          const { typeCondition, selectionSet } = fragment;
          const kind = Kind.INLINE_FRAGMENT;
          return { kind, typeCondition, directives, selectionSet: inlined(selectionSet) };
        },
      },
    });
  return inlined(document);
}
