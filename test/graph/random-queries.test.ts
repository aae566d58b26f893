/**
 * What must hold for any valid query, tried on random ones.
 *
 * A failure prints the seed and the query: `randomQuery(seed, …)` makes it again.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { Plan } from '../../src/plan/planner.ts';
import { schema } from '../../src/app/schema.ts';
import { cases } from '../support/cases.ts';
import { countValues } from '../support/count-values.ts';
import { IDS, SAMPLE_NODES, SAMPLE_VALUES } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';
import { randomQuery, UNLIMITED } from '../support/random-query.ts';

const NODES = [
  ...SAMPLE_NODES,
  formatNodeId('Topic', ['topic_that_is_not_there']),
  formatNodeId('TopicEntry', [IDS.topic, 'entry_01_01']),
  formatNodeId('TopicEntry', [IDS.topic, 'entry_01_02']),
];

const values = {
  'audience.pageId': [IDS.page],
  'audienceVersion.pageId': [IDS.page],
  ...SAMPLE_VALUES,
  id: NODES,
  ids: NODES,
};

/** Enough to meet every edge of the schema, few enough for every run of the suite. */
const SEEDS = Array.from({ length: cases(40) }, (_, seed) => seed + 1);

/** Lists that were merged name their places from another page start: the same place, other text. */
const withoutCursors = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) => (/cursor$/i.test(key) ? value !== null : value)),
  );

/** Whether a plan holds of what a query was really answered with. */
function expectWithin(
  { calls, values }: Plan,
  made: readonly string[],
  data: unknown,
  source: string,
  about: string,
): void {
  const count = countValues(data, source);
  expect(calls.least, about).toBeLessThanOrEqual(made.length);
  expect(calls.most, about).toBeGreaterThanOrEqual(made.length);
  expect(values.atLeast, about).toBeLessThanOrEqual(count);
  expect(values.atMost, about).toBeGreaterThanOrEqual(count);
}

describe('any valid query', () => {
  it('answers the same with and without look-ahead, asks nothing twice, and stays within its plan', async () => {
    const gateway = await openGateway({ documents: { limits: UNLIMITED } });

    for (const seed of SEEDS) {
      const { source, variables } = randomQuery(seed, { schema, values, depth: 8 });
      const about = `seed ${seed}: ${source} ${JSON.stringify(variables)}`;
      const plan = planOf(source, gateway, variables);
      const quick = await gateway.ask(source, { variables });
      const asked = [...gateway.restCalls];
      const naive = await gateway.askNaively(source, { variables });

      expect(
        quick.errors?.map(({ message }) => message),
        about,
      ).toEqual(naive.errors?.map(({ message }) => message));
      expect(withoutCursors(quick.data), about).toEqual(withoutCursors(naive.data));
      expect(new Set(asked).size, about).toBe(asked.length);
      expectWithin(plan, asked, quick.data, source, about);
    }
  }, 60_000);

  it.each(['extended', 'document'] as const)(
    'stays within its plan where it names one list many times, and the routes are %s',
    async (routeSet) => {
      const gateway = await openGateway({ documents: { limits: UNLIMITED }, rest: { routeSet } });
      // Few objects, and lists of different lengths of them, so that much is asked for again.
      const narrow = { ...values, 'page.pageId': [IDS.page], id: NODES.slice(0, 3), ids: NODES };

      for (const seed of SEEDS) {
        const { source, variables } = randomQuery(seed + 10_000, {
          schema,
          values: narrow,
          depth: 10,
        });
        const about = `seed ${seed + 10_000}: ${source} ${JSON.stringify(variables)}`;
        const plan = planOf(source, gateway, variables);
        const { data } = await gateway.ask(source, { variables });

        expectWithin(plan, gateway.restCalls, data, source, about);
      }
    },
    60_000,
  );
});
