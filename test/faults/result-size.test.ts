/**
 * T61: the limit on the size of a response. Cycles of the graph cost one backend call and multiply the response, so
 * neither the budget of calls nor the size of a document bounds it.
 */
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { routes } from '../../src/v0/routes.ts';
import { held, ok, type Behaviour } from '../support/faults.ts';
import { KEY } from '../support/gateway-process.ts';
import { sampleOf } from '../support/world.ts';
import { openCallers } from './callers.ts';
import { expectBelow, openTestbed, type Testbed } from './testbed.ts';
import { until } from '../support/until.ts';

const ITEMS = 100;

const AUDIENCES = 'GET /v0/pages/p/audiences';

let testbed: Testbed;

/** A hundred audiences of a page. */
function audiencesOf(pageId: string, changes: object = {}): Behaviour {
  const { items, ...list } = sampleOf(routes.listAudiences, { page_id: 'p' });
  return ok({
    ...list,
    items: Array.from({ length: ITEMS }, (_, i) => ({
      ...items[0],
      ...changes,
      pageId,
      audienceId: `a${i}`,
    })),
  });
}

beforeAll(async () => {
  testbed = await openTestbed({}, { gauged: true });
  testbed.upstream.on(AUDIENCES, audiencesOf('p'));
  const long = { supplementaryContext: 'x'.repeat(30_000) };
  testbed.upstream.on('GET /v0/pages/long/audiences', audiencesOf('long', long));
});

/** A selection from the page to its audiences and back, `levels` times. */
const cycles = (levels: number, leaf: string, first = ITEMS): string =>
  levels === 0
    ? leaf
    : `audiences(first: ${first}) { nodes { page { ${cycles(levels - 1, leaf, first)} } } }`;

const aliases = (count: number, selection: string): string =>
  Array.from({ length: count }, (_, i) => `a${i}: ${selection}`).join(' ');

interface Attack {
  readonly what: string;
  readonly source: string;
  readonly variables?: object;
}

const WORST: Attack = {
  what: 'one page a hundred times, in three cycles',
  source: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { ${cycles(3, 'name')} } } }`,
  variables: { ids: Array.from({ length: 100 }, () => formatNodeId('Page', ['p'])) },
};

const ATTACKS: readonly Attack[] = [
  WORST,
  {
    what: 'three cycles in 142 bytes',
    source: `{ page(pageId: "p") { ${cycles(3, 'pageId')} } }`,
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

describe('T61 the response size limit', () => {
  it.each(ATTACKS)(
    'T61 rejects $what without data in bounded CPU and memory',
    async ({ source, variables }) => {
      const before = await testbed.gateway.metric('process_cpu_seconds_total');

      const reply = await testbed.ask(source, { variables });

      expect(reply.codes, reply.text.slice(0, 500)).toEqual(['RESULT_TOO_LARGE']);
      expect(reply.body).not.toHaveProperty('data');
      expect(reply.status).toBe(400);
      expect(reply.errors[0].message).toMatch(/`[\w.]+`\..*`first`/);
      const cpu = (await testbed.gateway.metric('process_cpu_seconds_total')) - before;
      expect(cpu, 'seconds of CPU').toBeLessThan(1);
      const { heapBytes, rssBytes } = await testbed.gateway.gauge();
      expect(heapBytes).toBeLessThan(100_000_000);
      expect(rssBytes).toBeLessThan(400_000_000);
      await testbed.holds(reply, { hits: [0, 3] });
    },
  );

  it('T61 rejects with status 200 for clients that accept only application/json', async () => {
    const reply = await testbed.ask(`{ page(pageId: "p") { ${cycles(3, 'pageId')} } }`, {
      headers: { accept: 'application/json' },
    });

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ errors: [expect.any(Object)] });
  });

  it('T61 spends less CPU on responses to disconnected clients', async () => {
    const callers = openCallers(testbed.gateway);
    let count = 0;
    const cpuOf = async (isLeft: boolean): Promise<number> => {
      const before = await testbed.gateway.metric('process_cpu_seconds_total');
      const answer = held(audiencesOf('p'));
      testbed.upstream.on(AUDIENCES, answer.behaviour);
      // One each, since a signal warns of an eleventh listener.
      const leaving = Array.from({ length: 30 }, () => new AbortController());
      const asked = leaving.map(({ signal }) => {
        const query = `{ page(pageId: "p") { ${cycles(2, 'id pageId status', 45)} } } # ${count++}`;
        return callers.ask(query, { signal }).catch(() => {});
      });
      await testbed.underWay(asked.length);
      if (isLeft) {
        for (const caller of leaving) caller.abort();
        await testbed.underWay(0);
      }
      answer.release();
      await Promise.all(asked);
      await testbed.underWay(0);
      return (await testbed.gateway.metric('process_cpu_seconds_total')) - before;
    };
    await cpuOf(false);

    await expectBelow(0.7, async () => {
      const whole = await cpuOf(false);
      return (await cpuOf(true)) / whole;
    });
  });

  it('T61 buffers only the bytes of an unread response', async () => {
    const body = JSON.stringify({
      query: `{ page(pageId: "p") { ${cycles(2, 'id status', 45)} } }`,
    });
    const head = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { heapBytes: before } = await testbed.gateway.gauge();
    const sentBefore = await testbed.gateway.metric('gateway_requests_total', 'outcome="ok"');

    const sockets = Array.from({ length: 60 }, () =>
      connect(testbed.gateway.port, '127.0.0.1')
        .on('error', () => {})
        .pause(),
    );
    for (const socket of sockets) socket.write(head + body);

    await until(async () => {
      const sent = await testbed.gateway.metric('gateway_requests_total', 'outcome="ok"');
      expect(sent - sentBefore).toBe(60);
      const { heapBytes } = await testbed.gateway.gauge();
      // The responses have 10 MB of text, and their values several times as much.
      expect(heapBytes - before).toBeLessThan(15e6);
    }, 15_000);
    for (const socket of sockets) socket.destroy();
  });
});
