/**
 * Writes `schema.graphql`: what the builder makes, in an order that changes with the schema only.
 *
 * Run by `npm run codegen`; the gateway itself never reads the file.
 */
import { writeFileSync } from 'node:fs';
import { printAnnotatedSchema } from './graph/schema/directives.ts';
import { schema } from './schema.ts';

writeFileSync('schema.graphql', printAnnotatedSchema(schema));
