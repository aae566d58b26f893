/**
 * T61: an answer has a size. Cycles of the graph cost one backend call and multiply the answer, so
 * neither the budget of calls nor the size of a document bounds it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { ok } from '../support/faults.ts';
import { sampleOf } from '../support/world.ts';
import { expectBelow, openStand, type Stand } from './stand.ts';

const ITEMS = 100;

let stand: Stand;

beforeAll(async () => {
  stand = await openStand({}, { gauged: true });
  const { items, ...list } = sampleOf(routes.listAudiences, { page_id: 'p' });
  const audiencesOf = (pageId: string, changes: object) =>
    ok({
      ...list,
      items: Array.from({ length: ITEMS }, (_, i) => ({
        ...items[0],
        ...changes,
        pageId,
        audienceId: `a${i}`,
      })),
    });
  stand.upstream.on('GET /v0/pages/p/audiences', audiencesOf('p', {}));
  const long = { supplementaryContext: 'x'.repeat(30_000) };
  stand.upstream.on('GET /v0/pages/long/audiences', audiencesOf('long', long));
});

/** From the page to its audiences and back, and again. */
const circles = (levels: number, leaf: string): string =>
  levels === 0
    ? leaf
    : `audiences(first: ${ITEMS}) { nodes { page { ${circles(levels - 1, leaf)} } } }`;

const aliases = (count: number, selection: string): string =>
  Array.from({ length: count }, (_, i) => `a${i}: ${selection}`).join(' ');

interface Attack {
  readonly what: string;
  readonly source: string;
  readonly variables?: object;
}

const WORST: Attack = {
  what: 'a hundred times one page, in three circles',
  source: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { ${circles(3, 'name')} } } }`,
  variables: { ids: Array.from({ length: 100 }, () => formatNodeId('Page', ['p'])) },
};

const ATTACKS: readonly Attack[] = [
  WORST,
  {
    what: 'three circles in 142 bytes',
    source: `{ page(pageId: "p") { ${circles(3, 'pageId')} } }`,
  },
  {
    what: 'many fields of few objects',
    source: `{ page(pageId: "p") { ${aliases(29, `audiences(first: ${ITEMS}) { nodes { page { ...P } } }`)} } }
      fragment P on Page { audiences(first: ${ITEMS}) { nodes { audienceId status } } }`,
  },
  {
    what: 'few values with much text',
    source: `{ page(pageId: "long") {
      ${aliases(3, `audiences(first: ${ITEMS}) { nodes { supplementaryContext } }`)} } }`,
  },
];

describe('T61 an answer has a size', () => {
  it.each(ATTACKS)('T61 ends $what, without data', async ({ source, variables }) => {
    const before = await stand.gateway.metric('process_cpu_seconds_total');

    const reply = await stand.ask(source, { variables });

    expect(reply.codes, reply.text.slice(0, 500)).toEqual(['RESULT_TOO_LARGE']);
    expect(reply.body).not.toHaveProperty('data');
    expect(reply.status).toBe(400);
    expect(reply.errors[0].message).toMatch(/"[\w.]+": ask for fewer items with "first"/);
    // It was 17 seconds of CPU, and 440 MB.
    const cpu = (await stand.gateway.metric('process_cpu_seconds_total')) - before;
    expect(cpu, 'seconds of CPU').toBeLessThan(3);
    const { heapBytes, rssBytes } = await stand.gateway.gauge();
    expect(heapBytes).toBeLessThan(100_000_000);
    expect(rssBytes).toBeLessThan(400_000_000);
    await stand.holds(reply, { hits: [0, 3] });
  });

  it('T61 lets others have their turn meanwhile', async () => {
    const { source, variables } = WORST;

    // Another process may have the machine for a moment; all of an attack it never has.
    await expectBelow(0.7, async () => {
      const attack = stand.ask(source, { variables });
      let slowest = 0;
      for (let isOver = false; !isOver;) {
        slowest = Math.max(slowest, (await stand.gateway.get('/health')).tookMs);
        isOver = await Promise.race([attack.then(() => true), sleep(5, false)]);
      }
      return slowest / (await attack).tookMs;
    });
  });

  it('T61 answers callers who accept only application/json with 200', async () => {
    const reply = await stand.ask(`{ page(pageId: "p") { ${circles(3, 'pageId')} } }`, {
      headers: { accept: 'application/json' },
    });

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ errors: [expect.any(Object)] });
  });
});
