/**
 * T68 and T69: names of JavaScript prototypes, and codes of errors that come from libraries.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { randomFrom } from '../support/random-query.ts';
import { queryOf } from './chaos.ts';
import { openTestbed } from './testbed.ts';

const testbed = await openTestbed({ REQUEST_TIMEOUT_MS: '20000' });
beforeEach(() => testbed.forget());

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

describe('T68 names of JavaScript prototypes', () => {
  it.each(NAMES)('T68 reads a variable named %s', async (name) => {
    const source = `query ($${name}: ID!) { page(pageId: $${name}) { pageId } }`;
    // As JSON text: an object literal would set its prototype.
    const variables = { toJSON: () => JSON.parse(`{ "${name}": "p1" }`) as unknown };

    for (const headers of [{}, { 'x-explain': 'true' }]) {
      const reply = await testbed.ask(source, { variables, headers });

      expect(reply.data).toEqual({ page: { pageId: 'p1' } });
      await testbed.holds(reply, { hits: 1 });
    }
  });

  it.each(NAMES)(
    'T68 reports a missing required variable named %s and allows an optional one to be omitted',
    async (name) => {
      const needed = await testbed.ask(
        `query ($${name}: ID!) { page(pageId: $${name}) { pageId } }`,
      );
      const optional = await testbed.ask(
        `query ($${name}: String) { searchPages(query: $${name}) { pageId } }`,
      );

      expect(needed.codes).toEqual(['BAD_USER_INPUT']);
      expect(needed.errors[0].message).toContain(`"$${name}"`);
      expect(optional.codes).toEqual([]);
      await testbed.holds([needed, optional], { hits: 1 });
    },
  );

  it.each(NAMES)('T68 rejects an unknown input field or argument named %s', async (name) => {
    const input = `{ "id": "x", "${name}": { "id": "y" } }`;
    const variables = { toJSON: () => JSON.parse(`{ "input": ${input} }`) as unknown };
    const replies = [
      await testbed.ask(
        'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { id } } }',
        { variables },
      ),
      await testbed.ask(
        `mutation { updateTopic(input: { id: "x" ${name}: { id: "y" } }) { topic { id } } }`,
      ),
      await testbed.ask(`{ page(pageId: "p1" ${name}: "p2") { pageId } }`),
    ];

    for (const { codes, errors } of replies) {
      expect(codes[0]).toMatch(/^(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)$/);
      expect(errors[0].message).toContain(`"${name}"`);
    }
    await testbed.holds(replies, { hits: 0 });
  });

  it.each(NAMES)(
    'T68 accepts %s as the name of an alias, a fragment and an operation',
    async (name) => {
      const reply = await testbed.ask(
        `query ${name} { ${name}: page(pageId: "p1") { ...${name} } }
       fragment ${name} on Page { ${name}: pageId }`,
      );

      expect(reply.text).toBe(`{"data":{"${name}":{"${name}":"p1"}}}`);
      await testbed.holds(reply, { hits: 1 });
    },
  );
});

describe('T69 every error has a code', () => {
  const page = 'page(pageId: "p1")';
  const INVALID = ['BAD_USER_INPUT'];

  it.each<[string, Record<string, unknown> | undefined, string[]]>([
    ['query ($v: ID = "p1") { page(pageId: $v) { pageId } }', { v: null }, INVALID],
    [`query ($v: Boolean = true) { ${page} { pageId @skip(if: $v) } }`, { v: null }, INVALID],
    ['query ($v: Boolean = true) { a: __typename @include(if: $v) }', { v: null }, INVALID],
    ['query ($v: ID = "x") { nodes(ids: [$v]) { id } }', { v: null }, INVALID],
    ['query ($v: ID!) { page(pageId: $v) { pageId } }', { v: 1.5 }, INVALID],
    ['{ page(pageId: null) { pageId } }', undefined, INVALID],
    ['query ($v: ID) { nodes(ids: [$v]) { id } }', {}, ['GRAPHQL_VALIDATION_FAILED']],
    [
      'query ($v: Page) { __typename }',
      { v: 1 },
      ['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
    ],
    ['query A { __typename } query B { __typename }', undefined, ['OPERATION_RESOLUTION_FAILURE']],
    ['fragment F on Query { __typename }', undefined, ['OPERATION_RESOLUTION_FAILURE']],
    ['type T { a: Int }', undefined, ['OPERATION_RESOLUTION_FAILURE']],
    ['subscription { a }', undefined, ['NOT_ACCEPTABLE']],
    ['{ __typename', undefined, ['GRAPHQL_PARSE_FAILED']],
  ])('T69 rejects %s with variables %j: %j', async (source, variables, codes) => {
    const reply = await testbed.ask(source, { variables });

    expect(reply.codes).toEqual(codes);
    await testbed.holds(reply, { hits: 0 });
  });

  it('T69 accepts null for a nullable argument whose variable has a default', async () => {
    const source = 'query ($v: Int = 5) { topics(first: $v) { totalCount } }';

    const reply = await testbed.ask(source, { variables: { v: null } });

    expect(reply.data).toEqual({ topics: { totalCount: 2 } });
    await testbed.holds(reply, { hits: 1 });
  });

  it('T69 in random documents with corrupted variables, literals and tokens', async () => {
    const codes = new Map<string, number>();
    for (let seed = 0; seed < 250; seed++) {
      const { source, variables } = damaged(seed);

      const reply = await testbed.ask(source, { variables });

      const hint = `seed ${seed}: ${source} ${JSON.stringify(variables)} ${reply.text.slice(0, 500)}`;
      expect(reply.body, hint).toBeDefined();
      for (const code of reply.codes) {
        expect(code, hint).toMatch(/^[A-Z_]+$/);
        expect(code, hint).not.toBe('INTERNAL_SERVER_ERROR');
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }

    expect(codes.get('BAD_USER_INPUT')).toBeGreaterThan(20);
    expect(codes.get('GRAPHQL_VALIDATION_FAILED')).toBeGreaterThan(10);
    await testbed.holds([], { hits: [0, Infinity] });
  });
});

/** A random query with damaged variables, literals and words. */
function damaged(seed: number): { source: string; variables: Record<string, unknown> } {
  const random = randomFrom(seed + 70_000);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const { source, variables } = queryOf(seed);
  const values = [null, 1.5, -1, 'text', '', true, [], {}, [null], [[1]], { a: 1 }, 1e300];
  const changed: Record<string, unknown> = { ...variables };
  for (const name of Object.keys(changed)) if (random() < 0.4) changed[name] = pick(values);
  // Nullable with a default, which is allowed where null is not.
  let text = source.replace(/: (Boolean|Int|ID)!?(?=[,)])/g, (whole, type: string) =>
    random() < 0.5 ? `: ${type} = ${{ Boolean: 'true', Int: '2', ID: '"one"' }[type]!}` : whole,
  );
  if (random() < 0.3) {
    const words = text.match(/\w+|[{}()[\]:$@!]/g)!;
    const [from, to] = [pick(words), pick([...words, 'null', '__proto__', ''])];
    text = text.replace(from, to);
  }
  return { source: text, variables: changed };
}
