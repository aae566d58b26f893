/** Generated files that are checked in equal those that would be generated now. */
import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import {
  buildSchema,
  getDirectiveValues,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  validate,
  type GraphQLScalarType,
} from 'graphql';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import codegen from '../codegen.ts';
import { printAnnotatedSchema } from '../src/graph/schema/directives.ts';
import { printCacheRules } from '../src/app/commands/cache-rules.ts';
import { schema } from '../src/app/schema.ts';

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

const DOCUMENTS = 'src/client/documents';
const GENERATED = 'src/client/generated';

describe('generated files; run `npm run codegen` after changing a type or a document', () => {
  it('schema.graphql equals the printed schema', () => {
    expect(read('schema.graphql')).toBe(printAnnotatedSchema(schema));
  });

  it('src/client/generated/ equals what codegen writes for the documents', async () => {
    const files = (await generate({ ...codegen, silent: true }, false)) as {
      filename: string;
      content: string;
    }[];

    const rules = {
      filename: `${GENERATED}/cache-rules.ts`,
      content: printCacheRules(buildSchema(read('schema.graphql'))),
    };
    const style = await resolveConfig(path('package.json'));
    const made = await Promise.all(
      [...files, rules].map(async ({ filename, content }) => {
        const name = relative(path('.'), resolve(path('.'), filename)).replaceAll('\\', '/');
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
  const printed = buildSchema(read('schema.graphql'));
  const types = Object.values(printed.getTypeMap());

  it('names the same route in @restCost and in the description of each field', () => {
    const differences = types.filter(isObjectType).flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, description, astNode }) => {
        const described = /REST call: `([A-Z]+ [^`]+)`\.$/.exec(description ?? '')?.[1];
        const directive = astNode?.directives?.find((one) => one.name.value === 'restCost');
        const cost =
          directive &&
          getDirectiveValues(printed.getDirective('restCost')!, { directives: [directive] });
        return described === cost?.['route'] ? [] : [[`${type.name}.${name}`, described, cost]];
      }),
    );

    expect(differences).toEqual([]);
    expect(read('schema.graphql').match(/@restCost\(/g)!.length).toBeGreaterThan(40);
  });

  it('has null calls in @restCost for a list that is read to its end and for a subscription', () => {
    expect(read('schema.graphql')).toContain(
      '): PageLinkConnection @restCost(route: "GET /v0/page_links", calls: null)',
    );
    expect(read('schema.graphql')).toContain(
      '): PageProgress @restCost(route: "GET /v0/pages/{page_id}/audiences", calls: null)',
    );
  });

  it('has a specification URL for each custom scalar', () => {
    const own = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));

    expect(own.length).toBeGreaterThan(0);
    for (const scalar of own) {
      expect((scalar as GraphQLScalarType).specifiedByURL).toMatch(/^https:\/\//);
    }
  });

  it('notes once in each list without backward pagination that it pages forward only', () => {
    const lists = types
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()))
      .filter(({ args }) => args.some(({ name }) => name === 'after'));

    expect(lists.length).toBeGreaterThan(10);
    for (const { description, args } of lists) {
      // Arrays, which REST returns whole, are paged both ways here.
      const isArray = args.some(({ name }) => name === 'before');
      expect(description!.match(/Forward pagination only/g) ?? []).toHaveLength(isArray ? 0 : 1);
    }
  });

  it('parses, and every client document is valid against it', () => {
    const again = buildSchema(read('schema.graphql'));
    const documents = readdirSync(path(DOCUMENTS)).map((name) => read(`${DOCUMENTS}/${name}`));

    expect(validate(again, parse(documents.join('\n')))).toEqual([]);
  });
});
