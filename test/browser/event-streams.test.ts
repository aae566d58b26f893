/** graphql-sse's own client in Chromium, on a page of another origin: one response to each operation, and each write once. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { openHttp } from '../support/listen.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { launch } from './chromium.ts';

const CLIENT = readFileSync('node_modules/graphql-sse/umd/graphql-sse.js');

const CREATE = `mutation {
  createPage(input: { brandId: "b", name: "From a stream", pageContext: "c", actions: [], actionCardWidgets: [], scripts: [] }) {
    page { name } userErrors { field message }
  }
}`;

interface Heard {
  readonly results: any[];
  /** Message of the error that the client reports instead of completion. */
  readonly error: string | undefined;
  /** Number of times that the client has sent the operation. */
  readonly sent: number;
}

let site: GatewayProcess;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const origin = await openHttp((request, response) => {
    const isClient = request.url === '/client.js';
    response.setHeader('content-type', isClient ? 'text/javascript' : 'text/html');
    response.end(isClient ? CLIENT : '<script src="/client.js"></script>');
  });
  [site, browser] = await Promise.all([startGateway({ CORS_ORIGINS: origin }), launch()]);
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(async () => {
  await Promise.all([browser.close(), site.stop()]);
});

const subscribe = (
  query: string,
  headers: Record<string, string> = { 'x-api-key': EXAMPLE_API_KEY },
): Promise<Heard> =>
  page.evaluate(
    ([address, text, own]) =>
      new Promise<Heard>((resolve) => {
        const results: unknown[] = [];
        let sent = 0;
        const client = (globalThis as any).graphqlSse.createClient({
          url: `${address}/graphql`,
          headers: own,
          retryAttempts: 2,
          retry: () => Promise.resolve(),
          on: { connecting: () => void (sent += 1) },
        });
        const end = (error?: Error) => resolve({ results, error: error?.message, sent });
        client.subscribe(
          { query: text },
          {
            next: (result: unknown) => results.push(result),
            error: end,
            complete: () => end(),
          },
        );
      }),
    [site.url, query, headers] as const,
  );

const callsOf = (...labels: string[]): Promise<number> =>
  site.metric('gateway_upstream_calls_total', ...labels);

it('a query gets one response', async () => {
  const heard = await subscribe('{ topics(first: 1) { totalCount } }');

  expect(heard).toEqual({
    results: [{ data: { topics: { totalCount: expect.any(Number) } } }],
    error: undefined,
    sent: 1,
  });
});

it('a mutation gets one response, and is sent to the backend once', async () => {
  const before = await callsOf('method="POST"');

  const heard = await subscribe(CREATE);

  expect(heard).toEqual({
    results: [{ data: { createPage: { page: { name: 'From a stream' }, userErrors: [] } } }],
    error: undefined,
    sent: 1,
  });
  expect(await callsOf('method="POST"')).toBe(before + 1);
});

it.each(['{ nope }', 'subscription { nope }', '{ topic('])(
  'a rejected operation gets one result with its errors, and is not retried: %s',
  async (query) => {
    const heard = await subscribe(query);

    expect(heard).toMatchObject({ error: undefined, sent: 1 });
    expect(heard.results).toHaveLength(1);
    expect(heard.results[0].errors[0].message).toMatch(/nope|Syntax Error/);
  },
);

it('a caller without an API key gets one result with the error, and does not retry the operation', async () => {
  const before = await callsOf();

  const heard = await subscribe(CREATE, {});

  expect(heard).toMatchObject({
    results: [{ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }],
    error: undefined,
    sent: 1,
  });
  expect(await callsOf()).toBe(before);
});
