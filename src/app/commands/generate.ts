/**
 * Writes what is generated: `npm run codegen`. `schema.graphql` is what the builder makes, `schema.subgraph.graphql` what
 * of it is composed with other subgraphs, both in an order that changes with the schema only; `src/client/generated/` is
 * what `codegen.ts` says. The gateway itself reads none of them.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { printSubgraph } from '../../extensions/federation/sdl.ts';
import { printAnnotatedSchema } from '../../graph/schema/directives.ts';
import { schema } from '../schema.ts';
import { takeNoArguments } from './terminal.ts';

takeNoArguments(`
npm run codegen

Writes schema.graphql and schema.subgraph.graphql from the types in src/, and src/client/generated/ from the schema
and src/client/documents/. Takes no arguments.
`);

const require = createRequire(import.meta.url);
writeFileSync('schema.graphql', printAnnotatedSchema(schema));
writeFileSync('schema.subgraph.graphql', printSubgraph(schema));
run('@graphql-codegen/cli', 'cjs/bin.js', '--config', 'codegen.ts');
run('prettier', 'bin/prettier.cjs', '--log-level', 'warn', '--write', 'src/client/generated');

/** Runs a file of a package, without a shell. */
function run(name: string, path: string, ...given: readonly string[]): void {
  const file = join(dirname(require.resolve(`${name}/package.json`)), path);
  const { status } = spawnSync(process.execPath, [file, ...given], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
