/** Generates the schema files and `src/client/generated/`: `npm run codegen`. The gateway reads none of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generate } from '@graphql-codegen/cli';
import { buildSchema } from 'graphql';
import { format, resolveConfig } from 'prettier';
import codegen from '../../../codegen.ts';
import { printSubgraph } from '../../extensions/federation/sdl.ts';
import { printAnnotatedSchema } from '../../graph/schema/directives.ts';
import { schema } from '../schema.ts';
import { printCacheRules } from './cache-rules.ts';
import { takeNoArguments } from './terminal.ts';

takeNoArguments(`
npm run codegen

Writes schema.graphql and the subgraph schema from the types in src/, and src/client/generated/ from the schema and
src/client/documents/. Takes no arguments.
`);

const text = printAnnotatedSchema(schema);
writeFileSync('schema.graphql', text);
writeFileSync('src/extensions/federation/schema.subgraph.graphql', printSubgraph(schema));
const style = await resolveConfig('package.json');
const files = (await generate({ ...codegen, silent: true }, false)) as {
  filename: string;
  content: string;
}[];
const rules = {
  filename: 'src/client/generated/cache-rules.ts',
  content: printCacheRules(buildSchema(text)),
};
for (const { filename, content } of [...files, rules]) {
  mkdirSync(dirname(filename), { recursive: true });
  writeFileSync(filename, await format(content, { ...style, filepath: filename }));
}
