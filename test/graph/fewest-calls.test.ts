/**
 * The cost of a query: calls, and rounds of calls that wait for each other.
 *
 * The backend takes 20 ms for a call here, so that the times of calls show the rounds.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { countValues } from '../support/count-values.ts';
import { IDS } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';

const PAGE = IDS.page;
const pageId = formatNodeId('Page', [IDS.page]);

const TABLE: readonly [query: string, calls: number, rounds: number][] = [
  [`page(pageId: "${PAGE}") { name }`, 1, 1],
  [
    `page(pageId: "${PAGE}") { name audiences(first: 20) { nodes { effectiveName
       latestVersion { versionNumber status } publishedVersion { versionNumber } } } }`,
    2,
    1,
  ],
  [`page(pageId: "${PAGE}") { pageId audiences { nodes { audienceId } } }`, 1, 1],
  [
    `page(pageId: "${PAGE}") { name audiences(first: 5) { nodes { effectiveName } }
       more: audiences(first: 20) { nodes { effectiveName } } }`,
    2,
    1,
  ],
  [`page(pageId: "${PAGE}") { name audiences { edges { node { page { name pageId } } } } }`, 2, 1],
  [
    `audience(pageId: "${PAGE}", audienceId: "${IDS.audience}") { effectiveName person { personId id } }`,
    1,
    1,
  ],
  [
    `audienceVersion(pageId: "${PAGE}", audienceId: "${IDS.audience}", versionId: "${IDS.version}") {
       audience { page { pageId } } }`,
    1,
    1,
  ],
  [
    `topic(topicId: "${IDS.topic}") { title entries { nodes { content { content } topic { title } } } }`,
    1,
    1,
  ],
  [
    `account(accountId: "${IDS.account}") { name persons { nodes { name account { name } } }
       logs { nodes { type } } activity { nodes { type } } }`,
    3,
    1,
  ],
  [`accounts(first: 20) { nodes { persons { nodes { name account { name } } } } }`, 21, 2],
  [`persons(first: 50) { nodes { logs(first: 5) { nodes { type } } } }`, 51, 2],
  [
    `nodes(ids: ["${pageId}", ${IDS.pages.slice(0, 2).map(idOfPage).join(', ')},
       ${IDS.persons.slice(0, 2).map(idOfPerson).join(', ')}, "${pageId}"]) {
       ... on Page { name } ... on Person { name } }`,
    5,
    1,
  ],
  [`a: persons(first: 10) { nodes { name } } b: persons(first: 30) { nodes { name } }`, 1, 1],
];

function idOfPage(id: string): string {
  return JSON.stringify(formatNodeId('Page', [id]));
}

function idOfPerson(id: string): string {
  return JSON.stringify(formatNodeId('Person', [id]));
}

describe('the cost of a query', () => {
  it.each(TABLE)('of %s is %i calls in %i round trips', async (query, calls, rounds) => {
    const gateway = await openGateway({ sample: { latencyMs: 20 } });

    const { errors } = await gateway.ask(`{ ${query} }`);

    expect(errors).toEqual([]);
    expect({ calls: gateway.restCalls.length, rounds: gateway.journal.rounds }).toEqual({
      calls,
      rounds,
    });
  });

  it.each(TABLE)(
    'is planned with bounds for its calls and with its round trips: %s',
    async (query, calls, rounds) => {
      const gateway = await openGateway({ sample: { latencyMs: 20 } });

      const plan = planOf(`{ ${query} }`, gateway);

      expect(plan.calls.least).toBeLessThanOrEqual(calls);
      expect(plan.calls.most).toBeGreaterThanOrEqual(calls);
      expect(plan.rounds).toBe(rounds);
    },
  );

  it.each(TABLE)('has a number of values within the bounds of its plan: %s', async (query) => {
    const gateway = await openGateway();
    const source = `{ ${query} }`;

    const { atLeast, atMost } = planOf(source, gateway).values;
    const { data } = await gateway.ask(source);

    expect(atLeast).toBeLessThanOrEqual(countValues(data, source));
    expect(atMost).toBeGreaterThanOrEqual(countValues(data, source));
    expect(atMost).toBeLessThan(10_000);
  });

  it('is two round trips for persons and links of a page, with one call per distinct person', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 20 } });

    const { data, errors } = await gateway.ask(`{ page(pageId: "${PAGE}") { name
      audiences(first: 20) { nodes { effectiveName person { personId name } } }
      links { nodes { path } } } }`);

    const persons = new Set(
      data['page'].audiences.nodes.flatMap((node: any) =>
        node.person ? [node.person.personId] : [],
      ),
    );
    expect(errors).toEqual([]);
    expect(persons.size).toBeGreaterThan(1);
    expect(gateway.restCalls).toHaveLength(3 + persons.size);
    expect(gateway.journal.rounds).toBe(2);
  });

  it('is one round trip after a publish mutation for the objects that it returns, as planned', async () => {
    const gateway = await openGateway({ fresh: true, sample: { latencyMs: 20 } });
    const created = await gateway.ask(`mutation { createAudience(input: {
      pageId: "${PAGE}", publishBehavior: draft }) { audience { latestVersion { id } } } }`);
    const { id } = created.data['createAudience'].audience.latestVersion;
    const mutation = `mutation { publishAudienceVersion(input: { id: "${id}" }) {
      audienceVersion { status audience { effectiveName page { name } } } userErrors { code } } }`;

    const plan = planOf(mutation, gateway);
    const { data, errors } = await gateway.ask(mutation);

    expect(errors).toEqual([]);
    expect(data['publishAudienceVersion'].audienceVersion.audience.page.name).toBeTruthy();
    expect(gateway.restCalls).toHaveLength(3);
    expect(gateway.journal.rounds).toBe(2);
    expect(plan).toMatchObject({ calls: { least: 1, most: 3 }, rounds: 2 });
  });

  it.each([
    ['first', '$more $less'],
    ['second', '$less $more'],
  ])(
    'covers each field of an object in two places that share a fragment when the %s selects more',
    async (_which, places) => {
      const gateway = await openGateway();
      const audience = formatNodeId('Audience', [PAGE, IDS.audience]);
      const more = `more: node(id: "${audience}") { ... on Audience { status ...Links page { name } } }`;
      const less = `less: node(id: "${audience}") { ... on Audience { status ...Links } }`;
      const fragment =
        'fragment Links on Audience { page { pageId links(first: 1) { totalCount } } }';

      const { data, errors } = await gateway.ask(
        `{ ${places.replace('$more', more).replace('$less', less)} } ${fragment}`,
      );

      expect(errors).toEqual([]);
      expect(data['more'].page).toEqual({ ...data['less'].page, name: expect.any(String) });
      expect(gateway.restCalls.toSorted()).toEqual([
        `GET /v0/page_links?pageId=${PAGE}&limit=1`,
        `GET /v0/pages/${PAGE}`,
        `GET /v0/pages/${PAGE}/audiences/${IDS.audience}`,
      ]);
    },
  );

  it('includes the check that a page exists, even if only its id is selected', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(`{ gone: page(pageId: "nobody") { pageId }
      viaList: page(pageId: "nobody") { pageId audiences { nodes { audienceId } } }
      here: page(pageId: "${PAGE}") { pageId } }`);

    expect(data).toEqual({ gone: null, viaList: null, here: { pageId: PAGE } });
  });
});
