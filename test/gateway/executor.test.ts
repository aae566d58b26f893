/**
 * The gateway's executor responds as graphql-js does, byte for byte.
 *
 * A failure prints the seed and the query; `randomQuery(seed, …)` makes it again.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { execute } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { misshapen, queryOf } from '../faults/chaos.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { nulls } from '../execution/oracle.ts';
import { cases } from '../support/cases.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { after, status } from '../support/faults.ts';
import { IDS, SAMPLE_NODES, SAMPLE_VALUES } from '../support/ids.ts';
import { randomQuery, UNLIMITED } from '../support/random-query.ts';
import { type Reply } from '../support/client.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const NODES = [...SAMPLE_NODES, 'no id'];
/** More ids than the non-null field `nodes` takes, which is a hundred. */
const TOO_MANY = '"x" '.repeat(101);

const VALUES = {
  ...SAMPLE_VALUES,
  pageId: [...SAMPLE_VALUES.pageId, '../x'],
  id: NODES,
  ids: NODES,
};

const SEEDS = Array.from({ length: cases(15) }, (_, i) => 5_000 + i);

const DOCUMENTS = new URL('../../src/client/documents/', import.meta.url);
const fragments = readFileSync(new URL('fragments.graphql', DOCUMENTS), 'utf8');
const CLIENT_QUERIES = readdirSync(DOCUMENTS)
  .filter((name) => name !== 'fragments.graphql')
  .map((name) => readFileSync(new URL(name, DOCUMENTS), 'utf8'))
  .flatMap((source) => source.split(/^(?=query )/m).filter((text) => text.startsWith('query ')));

/** A value for every variable that a client's document declares. */
const CLIENT_VARIABLES = {
  pageId: IDS.page,
  audienceId: IDS.audience,
  versionId: IDS.version,
  accountId: IDS.account,
  topicId: IDS.topic,
  personId: IDS.person,
  id: NODES[1],
  query: 'north',
  first: 3,
};

describe('the executor', () => {
  it('matches graphql-js byte for byte for random queries', async () => {
    const sites = await openBoth();

    for (const seed of SEEDS) {
      const { source, variables } = randomQuery(seed, { schema, values: VALUES, depth: 7 });
      const { reference, ours } = await askBoth(sites, source, { variables });

      expect(ours, `seed ${seed}: ${source} ${JSON.stringify(variables)}`).toEqual(reference);
    }
  });

  it('matches graphql-js and repeats no call when values have wrong types', async () => {
    const upstream = await openFaultUpstream();
    const sites = await openBoth(upstream.url);
    let faults = 0;

    for (const seed of SEEDS.slice(0, cases(3))) {
      const { source, variables } = queryOf(seed);
      for (const name of new Set(source.match(/\b[a-z]\w+(?=[ \n])/g))) {
        upstream.on('*', misshapen(name, seed));
        const before = upstream.seen.length;
        const { reference, ours } = await askBoth(sites, source, { variables });
        const asked = upstream.seen
          .slice(before)
          .map(({ headers, target }) => `${String(headers['x-request-id'])} ${target}`);

        const hint = `seed ${seed}, ${name}: ${source} ${JSON.stringify(variables)}`;
        expectAlike(ours, reference, hint);
        expect(asked, hint).toEqual([...new Set(asked)]);
        faults += reference.errors.length;
      }
    }

    expect(faults).toBeGreaterThan(50);
  });

  it.each(CLIENT_QUERIES)('matches graphql-js for the client document %j', async (source) => {
    const used = [...source.matchAll(/\.\.\.\s*(\w+)/g)].length > 0;
    const sites = await openBoth();

    const document = used ? withFragments(source) : source;
    const { reference, ours } = await askBoth(sites, document, {
      variables: CLIENT_VARIABLES,
    });

    expect(reference).toMatchObject({ status: 200, errors: [] });
    expect(ours).toEqual(reference);
  });

  const DEEP = `query ($id: ID!, $first: Int = 2, $with: Boolean! = true) {
    page(pageId: $id) { name audiences(first: $first) { nodes { id ...A @include(if: $with) } } }
  } fragment A on Audience { person { name @skip(if: $with) email } }`;

  const TWICE = `query ($x: Boolean!) { a: page(pageId: "${IDS.page}") { status ...F @include(if: $x) }
    b: page(pageId: "${IDS.page}") { status ...F } } fragment F on Page { name pageId }`;
  const TWICE_SKIPPED = `query ($s: Boolean!, $t: Boolean!) { page(pageId: "${IDS.page}") {
    ...F @skip(if: $s) pageId ...F @include(if: $t) } } fragment F on Page { name }`;
  const AROUND = `query ($no: Boolean!) { page(pageId: "${IDS.page}") { audiences(first: 1) { nodes {
    person @include(if: $no) { ... on Person { email } } person { name } } } } }`;
  const ORDERED = `query ($s: Boolean!) { page(pageId: "${IDS.page}") { name @skip(if: $s) pageId name } }`;
  const CONFUSED = `{ x: audience(pageId: "${IDS.page}", audienceId: "${IDS.audience}") { person { email } }
    person_x: person(personId: "${IDS.person}") { personId } }`;
  const NULLED = 'query ($v: Boolean = true) { a: __typename @skip(if: $v) b: __typename }';

  it.each<[what: string, source: string, variables?: unknown, headers?: Record<string, string>]>([
    ['a bad id', '{ node(id: "nothing") { id } a: __typename }'],
    ['an id with a path in it', '{ page(pageId: "../x") { name } }'],
    [
      'several bad arguments',
      '{ a: page(pageId: "..") { name } b: topics(first: 900) { nodes { id } } }',
    ],
    ['a bad cursor', '{ topics(after: "nonsense") { nodes { id } } }'],
    ['a null list item', '{ nodes(ids: ["x"]) { id __typename } }'],
    ['an omitted variable', DEEP, {}],
    ['a variable that is null', DEEP, { id: null }],
    ['a variable of another type', DEEP, { id: { a: 1 } }],
    ['a skipped fragment', DEEP, { id: IDS.page, with: false }],
    ['a fragment spread twice, once on a condition', TWICE, { x: false }],
    ['a fragment spread twice, both on conditions', TWICE_SKIPPED, { s: true, t: true }],
    ['a condition around an inline fragment', AROUND, { no: false }],
    ['a condition on a field that is also selected without it', ORDERED, { s: true }],
    ['a condition that leaves nothing', '{ page(pageId: "p") { name @skip(if: true) } }'],
    ['null for a condition with a default', NULLED, { v: null }],
    ['an alias __proto__', `{ page(pageId: "${IDS.page}") { __proto__: name pageId } }`],
    [
      'an alias then below the root',
      '{ persons(first: 2) { nodes { then: name } pageInfo { then: hasNextPage } } }',
    ],
    ['an alias that joins the names of another path', CONFUSED],
    ['a type’s name in an alias', `{ Person_x: person(personId: "${IDS.person}") { name } }`],
    ['null in a literal list', 'query ($a: ID = "x") { nodes(ids: [$a]) { id } }', { a: null }],
    [
      'two errors at the root',
      `{ a: nodes(ids: [${TOO_MANY}]) { id } b: nodes(ids: [${TOO_MANY}]) { id } }`,
    ],
    ['an alias then at the root', '{ then: __typename }'],
    ['a rejected key', DEEP, { id: IDS.page }, { 'x-api-key': 'wrong' }],
    ['a plan', DEEP, { id: IDS.page }, { 'x-explain': 'plan' }],
    [
      'introspection',
      '{ __schema { queryType { name fields { name args { name defaultValue } } } } }',
    ],
    ['one type', '{ __type(name: "Page") { name interfaces { name } possibleTypes { name } } }'],
  ])('matches graphql-js for %s', async (_what, source, variables = {}, headers = {}) => {
    const sites = await openBoth();

    const { reference, ours } = await askBoth(sites, source, { variables, headers });

    expect(ours).toEqual(reference);
  });

  it('does not apply the conditions of one operation to another', async () => {
    const sites = await openBoth();
    const page = `page(pageId: "${IDS.page}")`;
    const source = `query A($x: Boolean!) { ${page} { ...F @include(if: $x) status } }
      query B { ${page} { ...F status } } fragment F on Page { name pageId }`;
    await askBoth(sites, source, { operationName: 'A', variables: { x: false } });

    const { reference, ours } = await askBoth(sites, source, { operationName: 'B' });

    expect(ours).toEqual(reference);
    expect(JSON.parse(ours.data).page.name).toEqual(expect.any(String));
  });

  it.each([
    ['a string', (code: string) => `{ page(pageId: "${code}") { name } }`],
    ['a block string', (code: string) => `{ page(pageId: """${code}""") { name } }`],
    ['an escaped string', (code: string) => `{ page(pageId: "\\u005f${code.slice(1)}") { name } }`],
    ['a list', (code: string) => `query ($a: ID! = "x") { nodes(ids: [$a, "${code}"]) { id } }`],
    [
      'a default value',
      (code: string) => `query ($a: ID! = "${code}") { page(pageId: $a) { name } }`,
    ],
  ])('never evaluates code that a client puts into %s', async (_what, written) => {
    const sites = await openBoth();
    const harm = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';

    await askBoth(sites, written(`${harm}globalThis.harmed=1`));

    expect(globalThis).not.toHaveProperty('harmed');
  });

  it.each([[[0, 1, 2]], [[2, 0, 1]], [[1, 2, 0]]])(
    'keeps the order of nodes when one of them fails, as graphql-js does: %j',
    async (order) => {
      const upstream = await openFaultUpstream();
      const sites = await openBoth(upstream.url);
      const all = [
        formatNodeId('Person', ['a']),
        formatNodeId('Person', ['b']),
        formatNodeId('Topic', ['t']),
      ];
      const ids = order.map((place) => all[place]);
      const source = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

      for (const failure of [status(403), after(40, status(403))]) {
        upstream.on('GET /v0/topics/t', failure);
        const { reference, ours } = await askBoth(sites, source, { variables: { ids } });

        expect(ours).toEqual(reference);
        expect(JSON.parse(ours.data).nodes).toHaveLength(3);
      }
    },
  );

  it('executes the named operation, regardless of which one was prepared first', async () => {
    const { ours } = await openBoth();
    const source = 'query A { a: __typename } query B { b: __typename }';
    const answers: object[] = [];
    for (const operationName of ['A', 'B', 'A', 'B', 'A', 'B'])
      answers.push((await ours.ask(source, { operationName })).data);

    expect(answers.map((data) => Object.keys(data)[0])).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });
});

interface Both {
  readonly reference: InProcessGateway;
  readonly ours: InProcessGateway;
}

/** The gateways over the sample data, which all tests of this file share. */
let shared: Promise<Both> | undefined;

const openBoth = (upstreamUrl?: string): Promise<Both> =>
  upstreamUrl === undefined ? (shared ??= openPair()) : openPair(upstreamUrl);

async function openPair(upstreamUrl?: string): Promise<Both> {
  const options = {
    documents: { limits: UNLIMITED },
    limits: { maxUpstreamCalls: 10_000 },
    ...(upstreamUrl !== undefined && { backend: new URL(upstreamUrl) }),
  };
  return {
    reference: await openGateway({ ...options, execute }),
    ours: await openGateway(options),
  };
}

/** The responses of both; of ours the second, since the first prepares the operation. */
async function askBoth(
  { reference, ours }: Both,
  source: string,
  options: { variables?: unknown; operationName?: string; headers?: Record<string, string> } = {},
) {
  const expected = await reference.ask(source, options);
  await ours.ask(source, options);
  return {
    reference: comparable(expected),
    ours: comparable(await ours.ask(source, options)),
  };
}

/**
 * Expects the same nulls, each explained by an error of graphql-js, which also reports errors below a field that another
 * error has nulled. The specification allows to cancel those fields (Handling Execution Errors).
 */
function expectAlike(ours: Compared, reference: Compared, hint: string): void {
  expect({ ...ours, errors: [] }, hint).toEqual({ ...reference, errors: [] });
  expect(reference.errors, hint).toEqual(expect.arrayContaining([...ours.errors]));
  expect(new Set(ours.errors).size, hint).toBe(ours.errors.length);
  const ofResult = ({ data, errors }: Compared) =>
    nulls({ data: JSON.parse(data), errors: errors.map((error) => JSON.parse(error)) });
  expect(ofResult(ours), hint).toEqual(ofResult(reference));
}

type Compared = ReturnType<typeof comparable>;

/** `data` as it was written; errors sorted, since they are listed in the order in which calls end. */
function comparable({ status, body, text }: Reply) {
  const errors: readonly any[] = body.errors ?? [];
  return {
    status,
    data: 'data' in body ? JSON.stringify(body.data) : text,
    members: Object.keys(body),
    plan: body.extensions?.plan,
    errors: errors.map((error) => JSON.stringify(withoutIds(error))).toSorted(),
  };
}

/** An error without the backend's request id, and with the code that graphql-js does not give to rejected arguments. */
const withoutIds = ({ extensions = {}, ...error }: any) => ({
  ...error,
  extensions: {
    ...extensions,
    code: extensions.code ?? 'BAD_USER_INPUT',
    upstream: extensions.upstream && { ...extensions.upstream, requestId: null },
  },
});

/** A document with the fragments that it spreads; an unused one would make it invalid. */
function withFragments(source: string): string {
  const known = fragments.split(/^(?=fragment )/m).filter((text) => text.startsWith('fragment '));
  const wanted = new Map<string, string>();
  const collect = (text: string): void => {
    for (const [, name] of text.matchAll(/\.\.\.\s*(\w+)/g)) {
      const found = known.find((fragment) => fragment.startsWith(`fragment ${name} `));
      if (!found || wanted.has(name!)) continue;
      wanted.set(name!, found);
      collect(found);
    }
  };
  collect(source);
  return [source, ...wanted.values()].join('\n');
}
