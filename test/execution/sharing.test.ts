/** A large answer that holds the same objects again and again is made of each of them once. */
import { buildSchema, parse, type GraphQLObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { byGraphqlJs, executeWith, shown, UNLIMITED } from './oracle.ts';

const ITEMS = 30;

const schema = buildSchema(`
  type Page { id: ID! audiences: [Audience!] broken: Page }
  type Audience { id: ID! page: Page }
  type Query { pages: [Page!] }
`);

let resolved = 0;

const page = { id: 'page' };
const audiences = Array.from({ length: ITEMS }, (_, i) => ({ id: `audience ${i}` }));

function resolve(typename: string, field: string, value: () => unknown): void {
  (schema.getType(typename) as GraphQLObjectType).getFields()[field]!.resolve = () => {
    resolved += 1;
    return value();
  };
}
resolve('Query', 'pages', () => Array.from({ length: ITEMS }, () => page));
resolve('Page', 'audiences', async () => audiences);
resolve('Audience', 'page', async () => page);
resolve('Page', 'broken', async () => {
  throw new Error('It is broken.');
});

const circles = (levels: number, innermost: string): string =>
  levels === 0 ? innermost : `id audiences { id page { ${circles(levels - 1, innermost)} } }`;

const argsOf = (levels: number, innermost: string) => ({
  schema,
  document: parse(`{ pages { ${circles(levels, innermost)} } }`),
});

it('is the same answer, for far fewer resolvers', async () => {
  const args = argsOf(2, 'id');
  const expected = await byGraphqlJs(args);
  const byItself = resolved;
  resolved = 0;

  const result = await executeWith()(args);

  expect(shown(result)).toEqual(shown(expected));
  expect(byItself).toBeGreaterThan(ITEMS ** 3);
  expect(resolved).toBeLessThan(200);
});

it('counts what is shared wherever it stands', async () => {
  const values = (levels: number): number =>
    levels === 0 ? 1 : 2 + ITEMS * (1 + 2 + values(levels - 1));
  const limited = async (maxValues: number) =>
    executeWith({ limits: () => ({ ...UNLIMITED, maxValues }) })(argsOf(3, 'id'));
  // A few awaited values are counted twelve more, before the first is shared and while it is.
  const count = 1 + ITEMS * (1 + values(3));
  const awaited = 12 * ITEMS * ITEMS * 3;
  resolved = 0;

  expect(await limited(count + awaited)).not.toHaveProperty('errors');
  expect((await limited(count - 1)).errors![0]!.extensions['code']).toBe('RESULT_TOO_LARGE');
  expect(resolved).toBeLessThan(500);
});

it('tells a failure wherever it stands', async () => {
  const args = argsOf(1, 'id broken { id }');
  const expected = await byGraphqlJs(args);

  const { data, errors } = await executeWith()(args);

  const paths = (all: typeof errors) => all!.map(({ path }) => path!.join('.')).sort();
  expect(data).toEqual(expected.data);
  expect(paths(errors)).toEqual(paths(expected.errors));
  expect(errors).toHaveLength(ITEMS * ITEMS);
});
