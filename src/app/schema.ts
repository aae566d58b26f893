/**
 * Builds the schema of all resource modules.
 */
import { specifiedDirectives } from 'graphql';
import '../resources/resources.ts';
import { DeferDirective, StreamDirective } from '../execution/operation/defer-and-stream.ts';
import { builder } from '../graph/schema/builder.ts';
import { RestCostDirective, SemanticNonNullDirective } from '../graph/schema/directives.ts';

export const schema = builder.toSchema({
  directives: [
    ...specifiedDirectives,
    DeferDirective,
    StreamDirective,
    SemanticNonNullDirective,
    RestCostDirective,
  ],
});
