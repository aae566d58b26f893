/** Incremental delivery over HTTP: both formats, callers who accept neither, and callers who leave. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ResultParts, type ResultPart } from '../../src/gateway/operation/result-parts.ts';
import { after, held, silence, status } from '../support/faults.ts';
import { world } from '../support/world.ts';
import { POST_JSON, send } from '../support/client.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const open = () => openGateway({ backend: 'faulty', rest: { timeoutMs: 5_000 } });

const V02 = 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9';
const V2022 = 'multipart/mixed;deferSpec=20220824, application/json;q=0.9';

interface Asked {
  readonly accept?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

const init = (query: string, { accept = V02, headers = {}, body = {} }: Asked = {}) => ({
  method: 'POST',
  headers: { 'x-api-key': 'key', ...POST_JSON, accept, ...headers },
  body: JSON.stringify({ query, ...body }),
});

/** Reads a whole multipart body; each part is JSON. */
async function partsOf(response: Response): Promise<any[]> {
  const text = await response.text();
  expect(text.endsWith('\r\n--graphql--\r\n')).toBe(true);
  return text
    .slice(0, -'--\r\n'.length)
    .split('\r\n--graphql')
    .map((part) => part.slice(part.indexOf('\r\n\r\n') + 4))
    .filter((part) => part.startsWith('{'))
    .map((part) => JSON.parse(part) as unknown);
}

const ask = async ({ url }: InProcessGateway, query: string, asked?: Asked) => {
  const response = await fetch(`${url}/graphql`, init(query, asked));
  return { response, parts: await partsOf(response) };
};

const SCREEN = `{
  page(pageId: "p") {
    name
    ... @defer(label: "people") { audiences(first: 1) { nodes { effectiveName } } }
  }
}`;

const AUDIENCES = 'GET /v0/pages/p/audiences';
const slowly = (ms: number) => after(ms, world());

describe('an incremental response', () => {
  it('uses the v0.2 format for clients that accept it', async () => {
    const site = await open();
    site.upstream.on(AUDIENCES, slowly(100));

    const { response, parts } = await ask(site, SCREEN);

    expect(response.headers.get('content-type')).toBe(
      'multipart/mixed; boundary="graphql"; incrementalSpec=v0.2',
    );
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('content-length')).toBeNull();
    expect(parts).toEqual([
      {
        data: { page: { name: 'name' } },
        pending: [{ id: '0', path: ['page'], label: 'people' }],
        hasNext: true,
      },
      {
        incremental: [
          { id: '0', data: { audiences: { nodes: [{ effectiveName: expect.any(String) }] } } },
        ],
        completed: [{ id: '0' }],
        hasNext: false,
      },
    ]);
  });

  it.each([V2022, 'multipart/mixed, application/json'])(
    'uses the 2022 format for clients that accept %s',
    async (accept) => {
      const site = await open();
      site.upstream.on(AUDIENCES, slowly(100));

      const { response, parts } = await ask(site, SCREEN, { accept });

      expect(response.headers.get('content-type')).toBe(
        'multipart/mixed; boundary="graphql"; deferSpec=20220824',
      );
      expect(parts).toEqual([
        { data: { page: { name: 'name' } }, hasNext: true },
        {
          incremental: [
            {
              data: { audiences: { nodes: [{ effectiveName: expect.any(String) }] } },
              path: ['page'],
              label: 'people',
            },
          ],
          hasNext: false,
        },
      ]);
    },
  );

  it.each(['application/json', 'application/graphql-response+json', '*/*'])(
    'is sent as a single response to clients that accept %s',
    async (accept) => {
      const site = await open();

      const reply = await send(`${site.url}/graphql`, init(SCREEN, { accept }));

      expect(reply.headers.get('content-type')).toMatch(/json/);
      expect(Object.keys(reply.body)).toEqual(['data']);
      expect(reply.body.data.page.audiences.nodes).toHaveLength(1);
    },
  );

  it('is sent as a single JSON response when no deferred field costs a round trip', async () => {
    const site = await open();

    const reply = await send(
      `${site.url}/graphql`,
      init('{ page(pageId: "p") { name ... @defer { status pageContext } } }'),
    );

    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(Object.keys(reply.body.data.page)).toEqual(['name', 'status', 'pageContext']);
    expect(site.upstream.hits()).toBe(1);
  });

  it('contains every labelled fragment with all its fields in the 2022 format, even if they are free or selected elsewhere', async () => {
    const site = await open();
    site.upstream.on(AUDIENCES, slowly(50));
    const query = `
      query {
        page(pageId: "p") {
          name
          ...More
          ...More @defer(label: "again")
          ... @defer(label: "free") { name title ... @defer(label: "nested") { pageType } }
          ... @defer(label: "slow") { name audiences(first: 1) { nodes { effectiveName } } }
          ... @defer(label: "shared") { audiences(first: 1) { nodes { audienceId } } brandId }
          ... @defer { pageContext }
          audiences(first: 1) { totalCount }
        }
      }
      fragment More on Page { status }`;

    const { parts } = await ask(site, query, { accept: V2022 });

    const [first, ...later] = parts;
    const entries = later.flatMap(({ incremental }) => incremental);
    const dataOf = (label: string) => entries.find((one) => one.label === label).data;
    const labels = ['again', 'free', 'nested', 'slow', 'shared'];
    expect(Object.keys(first.data.page)).toEqual(['name', 'status', 'audiences', 'pageContext']);
    expect(entries.map(({ label }) => label).sort()).toEqual([...labels].sort());
    expect(entries.every(({ path }) => path.join('.') === 'page')).toBe(true);
    expect(dataOf('again')).toEqual({ status: expect.any(String) });
    expect(dataOf('free')).toEqual({ name: 'name', title: expect.any(String) });
    expect(dataOf('nested')).toEqual({ pageType: expect.any(String) });
    const nodes = [{ effectiveName: expect.any(String) }];
    expect(dataOf('slow')).toMatchObject({ name: 'name', audiences: { nodes } });
    expect(dataOf('shared')).toMatchObject({
      audiences: { nodes: [{ audienceId: expect.any(String) }] },
      brandId: expect.any(String),
    });
    expect(later.every(({ incremental }) => Array.isArray(incremental))).toBe(true);
  });

  it('has an incremental list in each part after the first in the 2022 format, even if a plugin ends it', async () => {
    const site = await openGateway({
      backend: 'faulty',
      plugins: [
        {
          onExecute: () => ({
            onExecuteDone: () => ({
              onNext: ({ result }) => {
                if ('incremental' in result) throw new Error('of a plugin');
              },
            }),
          }),
        },
      ],
    });
    site.upstream.on(AUDIENCES, slowly(50));

    const { parts } = await ask(site, SCREEN, { accept: V2022 });

    expect(parts.at(-1)).toMatchObject({ incremental: [], hasNext: false });
    expect(parts.at(-1).errors).toHaveLength(1);
  });

  it.each(['multipart/mixed;incrementalSpec=v0.2;announce=all', 'Multipart/Mixed; Announce=all'])(
    'also defers fields without a cost for clients that accept %s',
    async (accept) => {
      const site = await open();
      const query = '{ page(pageId: "p") { name ... @defer(label: "more") { status } } }';

      const { parts } = await ask(site, query, { accept });

      expect(parts).toMatchObject([{ data: { page: { name: 'name' } } }, { hasNext: false }]);
    },
  );

  it('is the same by GET, without JSON in Accept, and in process', async () => {
    const site = await open();
    site.upstream.on(AUDIENCES, slowly(50));
    const { parts } = await ask(site, SCREEN);

    const headers = { 'x-api-key': 'key', accept: V02 };
    const search = new URLSearchParams({ query: SCREEN }).toString();
    const byGet = await fetch(`${site.url}/graphql?${search}`, { headers });
    const only = await fetch(`${site.url}/graphql?${search}`, {
      headers: { ...headers, accept: 'multipart/mixed;incrementalSpec=v0.2' },
    });
    const inProcess = await site.gateway.fetch(new Request('http://gateway/graphql', init(SCREEN)));

    for (const response of [byGet, only, inProcess]) {
      expect(response.headers.get('content-type')).toContain('incrementalSpec=v0.2');
      expect(await partsOf(response)).toEqual(parts);
    }
  });

  it.each([V02, V2022])(
    'sends each part as soon as its calls complete, to clients that accept %s',
    async (accept) => {
      const site = await open();
      const [audiences, links] = [held(world()), held(world())];
      site.upstream.on(AUDIENCES, audiences.behaviour);
      site.upstream.on('GET /v0/page_links', links.behaviour);
      const query = `{
        page(pageId: "p") {
          name
          ... @defer { audiences(first: 1) { nodes { effectiveName } } }
          ... @defer { links(first: 1) { nodes { path } } }
        }
      }`;

      const response = await fetch(`${site.url}/graphql`, init(query, { accept }));
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        text += chunk.value;
        if (text.includes('"page"')) audiences.release();
        if (text.includes('"effectiveName"')) links.release();
      }

      expect(await partsOf(new Response(text))).toMatchObject([
        { data: { page: { name: 'name' } }, hasNext: true },
        { incremental: [{ data: { audiences: { nodes: [{}] } } }], hasNext: true },
        { incremental: [{ data: { links: { nodes: [{}] } } }], hasNext: false },
      ]);
    },
  );

  it('streams list items that add up to the complete list', async () => {
    const site = await open();
    site.upstream.on('*', async (response, seen, socket) => {
      if (seen.target.includes('/persons/')) await sleep(50);
      await world()(response, seen, socket);
    });
    const query =
      '{ page(pageId: "p") { audiences { nodes @stream(initialCount: 1, label: "n") { audienceId person { name } } } } }';

    const whole = await send(`${site.url}/graphql`, init(query, { accept: 'application/json' }));
    const { parts } = await ask(site, query, { accept: V2022 });

    const items = parts.flatMap((part) => part.incremental ?? []);
    const { nodes } = parts[0].data.page.audiences;
    for (const one of items) {
      expect(one.path).toEqual(['page', 'audiences', 'nodes', nodes.length]);
      nodes.push(...one.items);
    }
    expect(nodes).toEqual(whole.body.data.page.audiences.nodes);
  });

  it('reports its cost in the last part', async () => {
    const site = await open();
    site.upstream.on(AUDIENCES, slowly(50));

    const { response, parts } = await ask(site, SCREEN, { headers: { 'x-explain': 'true' } });

    expect(response.headers.get('server-timing')).toBeNull();
    expect(parts[0].extensions).toBeUndefined();
    const { upstream } = parts.at(-1).extensions;
    expect(upstream).toMatchObject({ calls: 2, budget: { calls: 250 } });
    expect(upstream.journal).toHaveLength(2);
  });

  it.each([V02, V2022])('reports a failure at its path: %s', async (accept) => {
    const site = await open();
    site.upstream.on(AUDIENCES, after(50, status(403)));

    const { parts } = await ask(site, SCREEN, { accept });

    expect(parts[0].errors).toBeUndefined();
    expect(parts.at(-1).incremental[0]).toMatchObject({
      data: { audiences: null },
      errors: [{ path: ['page', 'audiences'], extensions: { code: 'FORBIDDEN' } }],
    });
  });

  it('ends with the failure of a part under onError: ABORT', async () => {
    const site = await open();
    site.upstream.on(AUDIENCES, after(50, status(403)));

    const { parts } = await ask(site, SCREEN, { body: { onError: 'ABORT' } });

    expect(parts.at(-1)).toMatchObject({
      completed: [{ id: '0', errors: [{ extensions: { code: 'FORBIDDEN' } }] }],
      hasNext: false,
    });
  });

  it('ends at the request timeout with UPSTREAM_TIMEOUT for the missing part', async () => {
    const site = await openGateway({
      backend: 'faulty',
      rest: { timeoutMs: 5_000 },
      limits: { requestTimeoutMs: 400 },
    });
    site.upstream.on(AUDIENCES, silence());

    const { parts } = await ask(site, SCREEN);

    expect(parts.at(-1).incremental[0].errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
    expect(parts.at(-1).hasNext).toBe(false);
  });

  it('is rejected for 21 directives, like a non-incremental response', async () => {
    const site = await open();
    const many = Array.from({ length: 21 }, (_, i) => `... @defer { a${i}: name }`).join(' ');

    const reply = await send(`${site.url}/graphql`, init(`{ page(pageId: "p") { ${many} } }`));

    expect(reply.codes).toEqual(['QUERY_TOO_LARGE']);
    expect(site.upstream.hits()).toBe(0);
  });

  it.each([
    ['mutation { ... @defer { restorePage(input: { id: "x" }) { __typename } } }', 'Mutation'],
    [
      '{ page(pageId: "p") { ... @defer(label: "a") { name } ... @defer(label: "a") { status } } }',
      '"a"',
    ],
    ['query ($l: String) { page(pageId: "p") { ... @defer(label: $l) { name } } }', 'label'],
    ['{ page(pageId: "p") @stream { name } }', '@stream'],
    [
      '{ page(pageId: "p") { audiences { nodes @stream { id } } ... { audiences { nodes { id } } } } }',
      'nodes',
    ],
  ])('is rejected for the invalid document %s', async (query, offender) => {
    const site = await open();

    const reply = await send(`${site.url}/graphql`, init(query));

    expect(reply.codes[0]).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(reply.body.errors[0].message).toContain(offender);
  });

  it('is planned with the round trips that each @defer saves', async () => {
    const site = await open();
    const query = `{
      page(pageId: "p") {
        name
        ... @defer(label: "free") { status }
        ... @defer(label: "links") { audiences { nodes { person { name } } } }
      }
    }`;

    const { body } = await send(
      `${site.url}/graphql`,
      init(query, { headers: { 'x-explain': 'plan' } }),
    );

    const { rounds, initialRounds, defers } = body.extensions.plan;
    expect(initialRounds).toBe(1);
    expect(defers).toEqual([
      { label: 'free', at: { line: 4, column: 9 }, savesRounds: 0, pays: false },
      { label: 'links', at: { line: 5, column: 9 }, savesRounds: rounds - 1, pays: true },
    ]);
    expect(rounds).toBeGreaterThan(1);
    expect(site.upstream.hits()).toBe(0);
  });

  it('sends its first part before the second is ready', async () => {
    const site = await open();
    const late = held(world());
    site.upstream.on(AUDIENCES, late.behaviour);
    const response = await fetch(`${site.url}/graphql`, init(SCREEN));
    const reader = response.body!.getReader();

    const first = new TextDecoder().decode((await reader.read()).value);
    late.release();

    expect(first).toContain('"hasNext":true');
    // The boundary comes with the part, so that a client can read it at once.
    expect(first.endsWith('\r\n--graphql')).toBe(true);
    await reader.cancel();
  });

  it('aborts its calls when its connection closes', async () => {
    const site = await open();
    let closed = false;
    site.upstream.on(AUDIENCES, (_response, _seen, socket: Socket) => {
      socket.once('close', () => (closed = true));
    });
    const { port } = new URL(site.url);
    const { body, ...rest } = init(SCREEN);
    const sent = httpRequest({ ...rest, port, path: '/graphql' });
    sent.on('error', () => {});
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response, 'data');
    await until(() => expect(site.upstream.hits(AUDIENCES)).toBe(1));

    sent.destroy();

    await until(() => expect(closed).toBe(true));
    await site.gateway.idle();
    expect(site.upstream.hits(AUDIENCES)).toBe(1);
  });
});

it.each([
  ['incrementalSpec=v0.2', '{"hasNext":true}'],
  ['deferSpec=20220824', '{"incremental":[],"hasNext":true}'],
] as const)(
  'sends empty parts as heartbeats in %s until the next part is ready',
  async (format, heartbeat) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* later(): AsyncGenerator<ResultPart, undefined> {
      await released;
      yield { hasNext: false };
    }
    const operation = { bytes: undefined, errors: [], writes: undefined };
    const others = { head: {}, cancel: () => {}, translate: (error: unknown) => error as never };
    const parts = new ResultParts({ operation, format, later: later(), ...others });
    const { frames } = parts.stream({ data: {} }, 20);
    const chunks: string[] = [];

    for await (const chunk of frames) {
      chunks.push(chunk);
      if (chunks.length === 3) release();
    }

    expect(chunks.length).toBeGreaterThanOrEqual(4);
    for (const chunk of chunks.slice(1, -1)) expect(chunk).toContain(`\r\n\r\n${heartbeat}\r\n`);
    expect(chunks.at(-1)).toContain('"hasNext":false}');
    expect(chunks.at(-1)!.endsWith('\r\n--graphql--\r\n')).toBe(true);
  },
);
