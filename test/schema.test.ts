/** What is generated and checked in is what would be generated now. */
import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { buildSchema, parse, validate } from 'graphql';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import codegen from '../codegen.ts';
import { printSemanticSchema } from '../src/graph/types/semantic-non-null.ts';
import { schema } from '../src/schema.ts';

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

const DOCUMENTS = 'src/client/documents';
const GENERATED = 'src/client/generated';

describe('generated files; run `npm run codegen` after changing a type or a document', () => {
  it('schema.graphql is what the builder makes', () => {
    expect(read('schema.graphql')).toBe(printSemanticSchema(schema));
  });

  it('src/client/generated/ is what codegen makes of the documents', async () => {
    const files = (await generate({ ...codegen, silent: true }, false)) as {
      filename: string;
      content: string;
    }[];

    const style = await resolveConfig(path('package.json'));
    const made = await Promise.all(
      files.map(async ({ filename, content }) => {
        const name = relative(path('.'), resolve(path('.'), filename));
        return [name, await format(content, { ...style, filepath: name })] as const;
      }),
    );
    const there = readdirSync(path(GENERATED), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name))
      .filter((name) => !name.endsWith('.prices.json')) // written by `npm run documents:check`
      .map((name) => `${GENERATED}/${name}`);
    expect(made.map(([name]) => name).sort()).toEqual(there.sort());
    for (const [name, content] of made) expect([name, read(name)]).toEqual([name, content]);
  });
});

describe('schema.graphql', () => {
  it('can be read again, and every document is valid in it', () => {
    const again = buildSchema(read('schema.graphql'));
    const documents = readdirSync(path(DOCUMENTS)).map((name) => read(`${DOCUMENTS}/${name}`));

    expect(validate(again, parse(documents.join('\n')))).toEqual([]);
  });
});
