/**
 * What must hold for any valid query, tried on random ones.
 *
 * A failure prints the seed and the query: `randomQuery(seed, …)` makes it again.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/schema.ts';
import { IDS, SAMPLE_NODES, SAMPLE_VALUES } from '../support/ids.ts';
import { openHouse } from '../support/open-house.ts';
import { planOf } from '../support/plan-of.ts';
import { randomQuery, UNLIMITED } from '../support/random-query.ts';

const NODES = [...SAMPLE_NODES, formatNodeId('Topic', ['topic_that_is_not_there'])];

const values = {
  'audience.pageId': [IDS.page],
  'audienceVersion.pageId': [IDS.page],
  ...SAMPLE_VALUES,
  id: NODES,
  ids: NODES,
};

/** Enough to meet every edge of the schema, few enough for every run of the suite. */
const SEEDS = Array.from({ length: 150 }, (_, seed) => seed + 1);

/** Lists that were merged name their places from another page start: the same place, other text. */
const withoutCursors = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) => (/cursor$/i.test(key) ? value !== null : value)),
  );

describe('any valid query', () => {
  it('answers the same with and without look-ahead, asks nothing twice, and makes the calls of its plan', async () => {
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
