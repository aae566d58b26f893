/**
 * Writes `schema.graphql`, what the builder makes, and `schema.subgraph.graphql`, what of it is composed with other
 * subgraphs, in an order that changes with the schema only.
 *
 * Run by `npm run codegen`; the gateway itself never reads the files.
 */
import { writeFileSync } from 'node:fs';
import { printSubgraph } from '../../extensions/federation/sdl.ts';
import { printAnnotatedSchema } from '../../graph/schema/directives.ts';
import { schema } from '../schema.ts';

writeFileSync('schema.graphql', printAnnotatedSchema(schema));
writeFileSync('schema.subgraph.graphql', printSubgraph(schema));
