/**
 * Properties of any valid query, checked on random ones.
 *
 * A failure prints the seed and the query; `randomQuery(seed, …)` makes it again.
 */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { Plan } from '../../src/plan/account.ts';
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

/** On a busy machine a call that takes long would be retried, which no plan counts. */
const PATIENT = { timeoutMs: 60_000 };

/** Enough seeds to meet every edge of the schema, and few enough for every run of the suite. */
const SEEDS = Array.from({ length: cases(40) }, (_, seed) => seed + 1);

/** Without the strings of cursors: a merged list writes the same position from the start of another page. */
const withoutCursors = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value: unknown) => (/cursor$/i.test(key) ? value !== null : value)),
  );

/** Expects the calls and the values of a response to be within the bounds of its plan. */
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
  it('has the same response with and without prefetching, makes no call twice, and stays within its plan', async () => {
    const gateway = await openGateway({ documents: { limits: UNLIMITED }, rest: PATIENT });

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
  });

  it.each(['extended', 'document'] as const)(
    'stays within its plan when it selects one list many times, with the route set %s',
    async (routeSet) => {
      const gateway = await openGateway({
        documents: { limits: UNLIMITED },
        rest: { ...PATIENT, routeSet },
      });
      // Few objects, so that queries request the same lists again in different lengths.
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
  );
});
