/**
 * What must hold for any valid query, tried on random ones.
 *
 * A failure prints the seed and the query: `randomQuery(seed, …)` makes it again.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/node-id.ts';
import { schema } from '../../src/schema.ts';
import { IDS } from '../support/ids.ts';
import { openHouse } from '../support/open-house.ts';
import { planOf } from '../support/plan-of.ts';
import { randomQuery } from '../support/random-query.ts';

const NODES = [
  formatNodeId('Page', [IDS.page]),
  formatNodeId('Audience', [IDS.page, IDS.audience]),
  formatNodeId('AudienceVersion', [IDS.page, IDS.audience, IDS.version]),
  formatNodeId('Person', [IDS.person]),
  formatNodeId('Account', [IDS.account]),
  formatNodeId('Topic', [IDS.topic]),
  formatNodeId('Topic', ['topic_that_is_not_there']),
];

const values = {
  'audience.pageId': [IDS.page],
  'audienceVersion.pageId': [IDS.page],
  pageId: [IDS.page, ...IDS.pages, 'page_that_is_not_there'],
  audienceId: IDS.audiences,
  versionId: [IDS.version],
  personId: IDS.persons,
  accountId: IDS.accounts,
  topicId: IDS.topics,
  query: ['north', 'logistics'],
  id: NODES,
  ids: NODES,
};

/** Random queries are deeper and wider than callers may send. */
const UNLIMITED = {
  tokens: 100_000,
  depth: 100,
  aliases: 10_000,
  directives: 10_000,
  repeats: 10_000,
};

/** Enough to meet every edge of the schema, few enough for every run of the suite. */
const SEEDS = Array.from({ length: 150 }, (_, seed) => seed + 1);

/** Lists that were merged name their places from another page start: the same place, other text. */
const withoutCursors = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) => (/cursor$/i.test(key) ? value !== null : value)),
  );

describe('any valid query', () => {
  it('answers the same with and without look-ahead, asks nothing twice, and keeps to its plan', async () => {
    const house = await openHouse({ limits: UNLIMITED });

    for (const seed of SEEDS) {
      const { source, variables } = randomQuery(seed, { schema, values, depth: 8 });
      const about = `seed ${seed}: ${source} ${JSON.stringify(variables)}`;
      const plan = planOf(source, house, variables);
      const quick = await house.query(source, variables);
      const asked = house.restCalls;
      const naive = await house.query(source, variables, { looksAhead: false });

      expect(
        quick.errors?.map(({ message }) => message),
        about,
      ).toEqual(naive.errors?.map(({ message }) => message));
      expect(withoutCursors(quick.data), about).toEqual(withoutCursors(naive.data));
      expect(new Set(asked).size, about).toBe(asked.length);
      expect(plan.calls.least, about).toBeLessThanOrEqual(asked.length);
      expect(plan.calls.most, about).toBeGreaterThanOrEqual(asked.length);
    }
  }, 60_000);
});
