/**
 * Builds the schema of all resource modules.
 */
import { specifiedDirectives, type GraphQLSchema } from 'graphql';
import '../resources/resources.ts';
import { DeferDirective, StreamDirective } from '../execution/incremental/defer-and-stream.ts';
import { builder } from '../graph/schema/builder.ts';
import { RestCostDirective, SemanticNonNullDirective } from '../graph/schema/directives.ts';

/** With what a router asks, where the gateway is a subgraph. Nothing is loaded for it otherwise. */
export async function openSchema({
  federation,
  introspection,
}: {
  readonly federation: boolean;
  readonly introspection: 'on' | 'keys' | 'off';
}): Promise<GraphQLSchema> {
  if (!federation) return schema;
  const { subgraphOf } = await import('../extensions/federation/subgraph.ts');
  return subgraphOf(schema, { tellsSchema: introspection !== 'off' });
}

export const schema = builder.toSchema({
  directives: [
    ...specifiedDirectives,
    DeferDirective,
    StreamDirective,
    SemanticNonNullDirective,
    RestCostDirective,
  ],
});
