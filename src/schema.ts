/**
 * Imports every resource module once, and builds the schema.
 */
import { specifiedDirectives, type GraphQLSchema } from 'graphql';
import './resources/page/page.ts';
import './resources/audience/audience.ts';
import './resources/audience-version/audience-version.ts';
import './resources/page-link/page-link.ts';
import './resources/topic/topic.ts';
import './resources/account/account.ts';
import './resources/person/person.ts';
import './resources/log/log.ts';
import { DeferDirective, StreamDirective } from './execution/incremental/defer-and-stream.ts';
import { builder } from './graph/schema/builder.ts';
import { RestCostDirective, SemanticNonNullDirective } from './graph/schema/directives.ts';

/** With what a router asks, where the gateway is a subgraph. Nothing is loaded for it otherwise. */
export async function openSchema({
  federation,
  introspection,
}: {
  readonly federation: boolean;
  readonly introspection: 'on' | 'keys' | 'off';
}): Promise<GraphQLSchema> {
  if (!federation) return schema;
  const { subgraphOf } = await import('./federation/subgraph.ts');
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
