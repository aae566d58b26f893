/**
 * GraphiQL as its users meet it: a browser, the printed URL, and what they do from there.
 *
 * Needs Chromium. Pictures are kept in `.data/graphiql/`.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readManifest } from '../../src/gateway/documents/manifest.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { launch } from './chromium.ts';
import { harFaults } from './har.ts';
import {
  expectCost,
  openExample,
  picture,
  play,
  textOf,
  visit,
  write,
  type JournalCall,
  type Visit,
} from './browser.ts';

let gateway: GatewayProcess;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway({}), launch()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});

/** GraphiQL, opened by a new visitor. */
async function open(options?: Parameters<typeof visit>[1]): Promise<Visit> {
  const visitor = await visit(browser, options);
  await visitor.page.goto(`${gateway.url}/graphql`);
  await isUsable(visitor.page);
  return visitor;
}

const isUsable = (page: Page) => page.locator('.graphiql-execute-button').waitFor();

const hasSchema = (page: Page) =>
  page.getByRole('button', { name: 'Schema', exact: true, disabled: false }).waitFor();

const rowsOf = async (page: Page) =>
  page.locator('button.call').evaluateAll((rows) =>
    rows.map((row) => ({
      call: row.querySelector('.call-route')?.textContent,
      field: row.querySelector('.call-field')?.textContent,
      status: Number.parseInt(row.querySelector('.call-status')?.textContent ?? '', 10),
    })),
  );

const said = (page: Page) => page.locator('.status-line').innerText();

describe('a first visit', () => {
  it('ends at data by one press, with everything from this gateway and nothing in the console', async () => {
    const { page, strangers, lines } = await open();
    await expectCost(
      page,
      /2–12 calls\s+2 rounds\s+1–188 values\s+most calls: page.audiences.person/,
    );

    const { data, errors } = await play(page);
    await page.locator('button.call').first().waitFor();
    await picture(page, 'first-visit');

    expect(data.page.name).toBe('Northwind launch');
    expect(errors).toBeUndefined();
    expect(await textOf(page, 'answer')).toContain('"audiences": {');
    // The journal has a pane of its own.
    expect(await textOf(page, 'answer')).not.toContain('upstream');
    expect(await page.title()).toBe('Content Pages · GraphiQL');
    expect([strangers, lines]).toEqual([[], []]);
  });

  it('ends at data below another path too (BASE_PATH)', async () => {
    const below = await startGateway({ BASE_PATH: '/content/pages' });
    onTestFinished(async () => void (await below.stop()));
    const { page, strangers, lines } = await visit(browser);
    await page.goto(`${below.url}/`);
    await isUsable(page);
    await hasSchema(page);

    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(new URL(page.url()).pathname).toBe('/content/pages/graphql');
    expect([strangers, lines]).toEqual([[], []]);
  });

  it('shows a row for each REST call, and marks the field of the one that is pressed', async () => {
    const { page } = await open();

    const { extensions } = await play(page);
    const rows = page.locator('button.call');
    await rows.first().waitFor();
    const person = rows.filter({ hasText: 'nodes.1.person' });
    await person.click();

    expect(await rowsOf(page)).toEqual(
      extensions.upstream.journal.map(({ method, route, path, status }: JournalCall) => ({
        call: `${method} ${route}`,
        field: path.join('.'),
        status,
      })),
    );
    const { calls, rounds } = extensions.upstream;
    const totals = await page.locator('.waterfall header').innerText();
    expect(totals).toContain(`${calls} calls, ${rounds} rounds`);
    await expect
      .poll(() => page.locator('.waterfall header').innerText())
      .toContain('planned: 2–12');
    expect(await person.getAttribute('title')).toMatch(/^Request id \S+$/);
    await expect.poll(() => page.locator('.marked-field').count()).toBe(2);
    await expect
      .poll(() => said(page))
      .toMatch(/^HTTP 200\s+\d+ ms\s+\d\.\d kB, \d\.\d kB uncompressed\s+Answer headers/);
    expect(totals).toMatch(/backend [\d.]+ ms/);
    await expect
      .poll(() => page.locator('.waterfall header').innerText())
      .toMatch(/gateway [\d.]+ ms/);
    await page.getByText('Answer headers').click();
    expect(await said(page)).toMatch(/x-request-id\s+\S+/);
  });

  it('keeps the calls of each tab with that tab, and an answer out of a tab that did not ask', async () => {
    const { page } = await open();
    await play(page);
    const totals = page.locator('.waterfall header');
    await expect.poll(() => totals.innerText()).toContain('12 calls, 2 rounds');

    await openExample(page, 'Topics with their entries');
    await page.getByText('Press Play to see which REST calls').waitFor();
    await play(page);
    await expect.poll(() => totals.innerText()).toContain('1 call, 1 round');
    await page.locator('.graphiql-tab-button').first().click();

    await expect.poll(() => totals.innerText()).toMatch(/12 calls, 2 rounds\s+planned: 2–12 calls/);
    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.waitForTimeout(1_000);
    expect((await textOf(page, 'answer')).trim()).toBe('');
  });

  it('explains the cost: each route, how often, because of which field', async () => {
    const { page } = await open();
    await expectCost(page, /2–12 calls/);

    await page.locator('.cost summary').click();
    await picture(page, 'cost-explained');

    const explanation = await page.locator('.cost-explanation').innerText();
    expect(explanation).toMatch(/0–5\s+GET \/v0\/persons\/\{person_id\}\s+page.audiences.person/);
    expect(explanation).toContain('A request may have 250 calls and 50,000 values.');
  });

  it('is as good the second time: after a reload nothing of size is loaded, and Play answers', async () => {
    const { page } = await open();
    await page.getByText('2–12 calls').waitFor();
    await hasSchema(page);
    // The editor's icons are loaded with the first that is shown, at whichever visit.
    await page.evaluate(() => document.fonts.load('16px codicon'));
    // What is still under way could not be kept. Chromium reports no end of some scripts of workers, so that the network
    // is never idle for it.
    await page.waitForFunction(async () => {
      const count = () => performance.getEntriesByType('resource').length;
      const before = count();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return count() === before;
    });
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));

    await page.reload();
    await isUsable(page);
    await page.getByText('2–12 calls').waitFor();
    const { data, errors } = await play(page);

    expect(await page.locator('.graphiql-tab').count()).toBe(1);
    expect([data.page.name, errors]).toEqual(['Northwind launch', undefined]);
    expect(bytes).toBeLessThan(30_000);
  });
});

describe('the cost beside the query', () => {
  it('changes while one types, says over budget before Play, and is no part of the history', async () => {
    const { page, faults } = await open();
    await expectCost(page, /2–12 calls/);

    await write(page, 'query', '{ topics(first: 3) { nodes { title } } }');
    await expectCost(page, /^1 calls?\s+1 round\b/);
    await write(page, 'query', '{ topics(first: 3) { nodes { nope } } }');
    await expectCost(page, /Cost unknown: Cannot query field "nope"/);
    await write(page, 'query', '{ topics(');
    await expectCost(page, /Cost unknown: Syntax Error/);
    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(page, /25 calls/);
    await openExample(page, 'More than a request may cost');
    await expectCost(page, /Over budget|Stops at the limit of 250 calls/);
    await picture(page, 'over-budget');

    await page
      .getByRole('button', { name: /history/i })
      .first()
      .click();
    expect(await page.locator('.graphiql-history-item').count()).toBe(0);
    // Half a document is no failure.
    expect(faults).toEqual([]);
  });

  it('says over budget where the least is above it', async () => {
    const small = await startGateway({ MAX_UPSTREAM_CALLS: '20' });
    onTestFinished(async () => void (await small.stop()));
    const { page } = await visit(browser);
    await page.goto(`${small.url}/graphql`);
    await isUsable(page);

    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(
      page,
      /25 calls\s+Over budget: a request may have 20 calls\s.*most calls: p0 and 24 more/s,
    );
    await picture(page, 'over-budget-surely');
    await play(page);

    await expect.poll(() => said(page)).toMatch(/QUERY_TOO_EXPENSIVE/);
  });

  it('is asked for once the author pauses, and of the newest text alone', async () => {
    const { page } = await open();
    await expectCost(page, /2–12 calls/);
    const asked: string[] = [];
    const given: string[] = [];
    page.on('request', (request) => {
      if (request.headers()['x-explain'] === 'plan') asked.push(request.postDataJSON().query);
    });
    page.on('requestfailed', (request) => given.push(request.failure()?.errorText ?? ''));
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue().catch(() => {});
    });

    await write(page, 'query', '{ topics(first: 3) { totalCount } }');
    await expect.poll(() => asked.length).toBe(1);
    await write(page, 'query', '');
    await page.keyboard.type('query Typed { persons { totalCount } }', { delay: 20 });
    await page.keyboard.press('Escape');
    await expectCost(page, /^▸?\s*1 call\s/);

    expect(asked.at(-1)).toContain('query Typed');
    expect(asked.length).toBeLessThan(6);
    expect(given).toContain('net::ERR_ABORTED');
  });
});

describe('examples', () => {
  it('open in a tab of their own, with ids of this backend, and page through a list', async () => {
    const { page } = await open();

    await openExample(page, 'Step through the audiences of a page');
    await expectCost(page, /\d calls?/);
    const first = await play(page);
    const { endCursor: after } = first.data.page.audiences.pageInfo;
    await write(page, 'variables', JSON.stringify({ pageId: 'page_northwind', first: 5, after }));
    const second = await play(page);

    expect(await page.locator('.graphiql-tab').count()).toBe(2);
    expect(second.data.page.audiences.pageInfo.hasPreviousPage).toBe(true);
    const ids = [first, second].flatMap(({ data }) =>
      data.page.audiences.edges.map(
        ({ node }: { readonly node: { readonly id: string } }) => node.id,
      ),
    );
    expect(new Set(ids).size).toBe(10);
  });

  it('show errors by their codes', async () => {
    const { page } = await open();

    await openExample(page, 'Errors in a part of the answer');
    const { data } = await play(page);
    await expect.poll(() => said(page)).toMatch(/1 × BAD_USER_INPUT/);
    await picture(page, 'partial-errors');

    expect(data).toMatchObject({ found: { name: 'Northwind launch' }, missing: null });
  });

  it('say when to come back after a rate limit', async () => {
    const limited = createServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '60', 'content-type': 'application/json' });
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(limited, 'listening');
    const { port } = limited.address() as AddressInfo;
    const behind = await startGateway({ UPSTREAM_URL: `http://127.0.0.1:${port}` });
    onTestFinished(async () => void (await behind.stop(), limited.close()));
    const { page } = await visit(browser);
    await page.goto(`${behind.url}/graphql`);
    await isUsable(page);

    await page.getByLabel('API key').fill('key-of-tenant-a-0123456789');
    await page.keyboard.press('Enter');
    await write(page, 'query', '{ topics { totalCount } }');
    await play(page);

    await expect.poll(() => said(page)).toMatch(/1 × RATE_LIMITED, again in \d+ s/);
  });

  it('answer in parts, and show the calls of all of them', async () => {
    const { page } = await open();

    await openExample(page, 'A page at once, its audiences later');
    await page.locator('.graphiql-execute-button').click();
    await page.locator('button.call').first().waitFor();
    await expect
      .poll(() => page.locator('.waterfall header').innerText())
      .toMatch(/backend [\d.]+ ms\s+gateway [\d.]+ ms/);
    await picture(page, 'in-parts');

    const text = await textOf(page, 'answer');
    expect(text).toContain('"name": "Northwind launch"');
    expect(text).toContain('"effectiveName"');
    expect((await rowsOf(page)).map(({ field }) => field)).toContain('page.audiences');
    expect(await said(page)).toMatch(/^HTTP 200\s+\d+ ms\s+\d\.\d kB\s+2 results/);
  });

  it('watch a version in one tab while it is published in another, and list what changed', async () => {
    const { page, faults } = await open();
    const events = page.locator('.events');

    await openExample(page, 'Watch a version being published');
    await expectCost(page, /^▸?\s*0 calls\s/);
    await page.locator('.graphiql-execute-button').click();
    await events.getByText('first event').waitFor();
    expect(await events.innerText()).toMatch(
      /1 poll of GET \/v0\/pages\/.*Waiting for the next event/s,
    );
    expect(await page.locator('.waterfall').innerText()).not.toMatch(/no REST call/i);
    await openExample(page, 'Publish a version');
    await expectCost(page, /\d calls?/);
    await page.getByText('Still subscribed in').waitFor();
    expect(await page.locator('.graphiql-tab[data-subscribed]').innerText()).toBe(
      'VersionProgress',
    );
    const { data } = await play(page);
    expect(data.publishAudienceVersion.userErrors).toEqual([]);
    await page.locator('.graphiql-tab-button', { hasText: 'VersionProgress' }).click();

    await events.getByText('Complete: the gateway says that no event follows.').waitFor();
    await picture(page, 'watched');
    const listed = await events.innerText();
    expect(listed).toMatch(/status: "(?:queued|processing)" → "published"/);
    expect(listed).toMatch(/status: "draft" → "(?:queued|processing)"/);
    expect(listed).toMatch(/\d\d:\d\d:\d\d\.\d{3}/);
    expect(listed).toMatch(/\d polls of GET/);
    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "published"/);
    await events.locator('summary').last().click();
    expect(await events.locator('pre').last().innerText()).toContain('"status": "draft"');
    expect(await page.getByText('Still subscribed in').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('show the newest state of a subscription that ended while another tab was in view, over a reload too', async () => {
    const { page } = await open();
    await openExample(page, 'Watch a version being published');
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.events').getByText('first event').waitFor();
    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "draft"/);
    await openExample(page, 'Publish a version');
    await page.getByText('Still subscribed in').waitFor();
    await play(page);
    await page.getByText('Still subscribed in').waitFor({ state: 'detached' });

    await page.locator('.graphiql-tab-button', { hasText: 'VersionProgress' }).click();

    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "published"/);
    await page.reload();
    await isUsable(page);
    await page.locator('.graphiql-tab-button', { hasText: 'VersionProgress' }).click();
    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "published"/);
  });

  it('stop watching by Stop, and come to a subscription that goes on with Stop at hand', async () => {
    const { page } = await open();
    const button = page.locator('.graphiql-execute-button');
    const ended: string[] = [];
    page.on('requestfailed', (request) => ended.push(request.failure()?.errorText ?? ''));

    await openExample(page, 'Watch a version being published');
    await button.click();
    await page.locator('.events').getByText('first event').waitFor();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByText('Press Play to see which REST calls').waitFor();
    await page.waitForTimeout(300);
    expect(ended).toEqual([]);
    await page.getByText('Still subscribed in').getByRole('button').click();
    await expect.poll(() => button.getAttribute('aria-label')).toMatch(/^Stop/);
    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "draft"/);
    await button.click();

    await page.getByText('Ended: it was stopped here.').waitFor();
    await expect.poll(() => ended).toEqual(['net::ERR_ABORTED']);
  });
});

describe('what leaves the page', () => {
  it('is a HAR that developer tools open, without key', async () => {
    const { page } = await open();
    const { extensions } = await play(page);
    await page.locator('button.call').first().waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const har = JSON.parse(text);

    expect(harFaults(har)).toEqual([]);
    expect(har.log.entries).toHaveLength(1 + extensions.upstream.journal.length);
    expect(harFaults({ log: { ...har.log, entries: [{}] } })).not.toEqual([]);
    expect(text).not.toContain('demo');
  });

  it('is a link to the document, a curl command, and a schema, all without key', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.waitForTimeout(200);
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await write(page, 'query', 'query Shared { topics { totalCount } }');
    await expectCost(page, /\d calls?/);
    await play(page);
    await page.locator('button.call').first().waitFor();

    await write(page, 'headers', '{ "x-team": "a secret" }');
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    await page.getByText('curl copied.').waitFor();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    const link = await copied('Share');
    const other = await page.context().newPage();
    await other.goto(link);
    await isUsable(other);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Schema', exact: true }).click(),
    ]);

    await expect.poll(() => textOf(other, 'query')).toContain('query Shared');
    expect(new URL(other.url()).hash).toBe('');
    expect(curl).toMatch(/^curl -sN 'http:\/\/127.0.0.1:\d+\/graphql' .*"x-api-key: \$API_KEY"/s);
    expect(curl).toContain('-H "x-team: $X_TEAM"');
    expect(curl).not.toContain('x-explain');
    expect(curl + link + atob(decodeURIComponent(link.split('=')[1]!))).not.toMatch(/demo|secret/);
    const { stdout } = await promisify(execFile)('sh', ['-c', curl], {
      env: { ...process.env, API_KEY: 'demo', X_TEAM: 'a' },
    });
    expect(JSON.parse(stdout).data.topics.totalCount).toBeGreaterThan(0);
    expect(readFileSync(await download.path(), 'utf8')).toContain('type PageLink ');
  });

  it('is a trusted document with its price, which the gateway can serve', async () => {
    const { page } = await open();
    const query = 'query Trusted($first: Int!) { topics(first: $first) { totalCount } }';
    await write(page, 'query', query);
    await write(page, 'variables', '{ "first": 3 }');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const json = readFileSync(await download.path(), 'utf8');

    const [[id, body] = []] = readManifest(json);
    const [operation] = JSON.parse(json).operations;
    expect(body).toBe(query);
    expect(operation).toMatchObject({
      id: `sha256:${id}`,
      name: 'Trusted',
      type: 'query',
      price: { calls: { least: 1, most: 1 }, rounds: 1 },
    });
  });

  it('is never the key: not to local storage, and not to another tab that was opened by hand', async () => {
    const { page } = await open();
    await page.getByLabel('API key').fill('my-secret-key');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(1_000);

    const stored = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      location.href,
    ]);

    const state = await page.evaluate(() => JSON.stringify(window.history.state));
    expect(stored.map((text) => text.includes('my-secret-key'))).toEqual([false, true, false]);
    expect(state).not.toContain('my-secret-key');
  });
});

describe('what is open', () => {
  it('survives a reload and going back, and saved documents are there', async () => {
    const { page } = await open();
    await write(page, 'query', 'query Mine { topics { totalCount } }');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as Mine.').waitFor();
    await page.waitForTimeout(800);

    await page.reload();
    await isUsable(page);
    await expect.poll(() => textOf(page, 'query')).toContain('query Mine');
    await page.goto(`${gateway.url}/health`);
    await page.goBack();
    await isUsable(page);

    await expect.poll(() => textOf(page, 'query')).toContain('query Mine');
    await openExample(page, 'Mine');
    expect(await page.locator('.graphiql-tab').count()).toBe(2);
  });

  it('is of each tab of the browser its own', async () => {
    const { page } = await open();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await isUsable(other);
    await write(page, 'query', 'query Left { topics { totalCount } }');
    await write(other, 'query', 'query Right { persons { totalCount } }');
    await page.waitForTimeout(800);

    await Promise.all([page.reload(), other.reload()]);
    await Promise.all([isUsable(page), isUsable(other)]);

    await expect.poll(() => textOf(page, 'query')).toContain('query Left');
    await expect.poll(() => textOf(other, 'query')).toContain('query Right');
  });
});

describe('when something is wrong, it says so', () => {
  it.each(['wrong', ''])('with the key %j', async (key) => {
    const { page } = await open();

    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    const { errors } = await play(page);

    expect(errors[0].extensions.code).toBe('UNAUTHENTICATED');
    await expect.poll(() => said(page)).toMatch(/UNAUTHENTICATED/);
    if (!key) await page.getByText('Enter a key: every operation is sent with it.').waitFor();
  });

  it('offline, and with the gateway stopped', async () => {
    const stopped = await startGateway({});
    const { page } = await visit(browser);
    await page.goto(`${stopped.url}/graphql`);
    await isUsable(page);
    const button = page.locator('.graphiql-execute-button');

    await page.context().setOffline(true);
    await button.click();
    await expect.poll(() => said(page)).toBe('This browser is offline.');
    await page.context().setOffline(false);
    await stopped.stop('SIGKILL');
    await button.click();
    await expect.poll(() => said(page)).toBe('The gateway did not answer: is it running?');
    expect(await textOf(page, 'answer')).not.toContain('stack');
    await picture(page, 'gateway-stopped');
  });

  it('where the schema cannot be asked for', async () => {
    const closed = await startGateway({ INTROSPECTION: 'off' });
    onTestFinished(async () => void (await closed.stop()));
    const { page, faults } = await visit(browser);
    await page.goto(`${closed.url}/graphql`);
    await isUsable(page);

    await page.getByText('This gateway keeps its schema to itself').waitFor();
    expect(await page.locator('.waterfall-hint').innerText()).not.toContain('suggested');
    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(faults).toEqual([]);
  });
});

describe('over a deployment', () => {
  /** A page of a gateway that has no page of its own to show. */
  async function openDeployed(
    settings: Record<string, string> = {},
    behind = gateway,
  ): Promise<Visit> {
    const [, backend] = /(http:\/\/127[\d.:]+)\/v0\/openapi/.exec(behind.output)!;
    const deployed = await startGateway({
      UPSTREAM_URL: backend!,
      MAX_UPSTREAM_CALLS: '20',
      ...settings,
    });
    onTestFinished(async () => void (await deployed.stop()));
    const visitor = await visit(browser);
    await visitor.page.goto(`${deployed.url}/graphql`);
    await isUsable(visitor.page);
    return visitor;
  }

  it.each([
    ['1280 pixels', { width: 1280, height: 800 }],
    ['390 pixels', { width: 390, height: 844 }],
  ])('it asks for a key, and the first Play after it answers, at %s', async (_size, size) => {
    const { page, faults } = await openDeployed();
    await page.setViewportSize(size);
    const button = page.locator('.graphiql-execute-button');
    const place = () => button.evaluate((one) => one.getBoundingClientRect().y + scrollY);
    const before = await place();

    await page.getByText('Enter a key: every operation is sent with it.').waitFor();
    await page.getByLabel('API key').fill('demo');
    // Leaving the field takes the key, while the button is pressed.
    const { data, errors } = await play(page);

    expect([typeof data.page.name, errors]).toEqual(['string', undefined]);
    await expect.poll(() => textOf(page, 'variables')).not.toContain('the id of a page');
    expect(await page.getByText('Enter a key').count()).toBe(0);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as PageWithAudiences.').waitFor();
    expect(await place()).toBe(before);
    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(page, /Over budget/);
    expect(await place()).toBe(before);
    await picture(page, `deployment-${size.width}`);
    expect(faults).toEqual([]);
  });

  it('begins with topics in front of the 20 routes, which list no pages', async () => {
    const { page, faults } = await openDeployed(
      {},
      await startGateway({ BACKEND_ROUTES: 'document' }),
    );

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page, 'query')).toContain('query Topics');
    const { data, errors } = await play(page);

    expect([data.topics.nodes.length > 0, errors]).toEqual([true, undefined]);
    expect(await page.locator('.outdated').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('asks for the schema once there is a key, where callers need one for it', async () => {
    const { page, faults } = await openDeployed({ INTROSPECTION: 'keys' });
    const asked = page.waitForResponse((response) => response.url().endsWith('/graphql'));

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');

    expect((await asked).status()).toBe(200);
    await hasSchema(page);
    expect(faults).toEqual([]);
  });

  it.each(['a\\b', '"quote"', 'a$&b'])('it writes the found page %s as JSON', async (pageId) => {
    const { page } = await openDeployed();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('ExampleIds')) return route.continue();
      return route.fulfill({ json: { data: { searchPages: [{ pageId }] } } });
    });

    await page.getByLabel('API key').fill('demo');
    await page.keyboard.press('Enter');

    await expect
      .poll(async () => JSON.parse(await textOf(page, 'variables').catch(() => '{}')))
      .toEqual({ pageId });
  });
});

describe('what is written', () => {
  /** The least contrast of the editors' words against the page, as WCAG computes it. */
  const leastContrast = (page: Page) =>
    page.evaluate(() => {
      const luminance = (color: string) => {
        const [r = 0, g = 0, b = 0] = color.match(/[\d.]+/g)!.map((part) => {
          const value = Number(part) / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = luminance(
        getComputedStyle(document.querySelector('.graphiql-response')!).backgroundColor,
      );
      const words = document.querySelectorAll('#explorer .view-lines span:not(:has(span))');
      const ratios = [...words].map((word) => {
        const ink = luminance(getComputedStyle(word).color);
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
      });
      return Math.min(...ratios);
    });

  it('has its fields suggested right after a brace', async () => {
    const { page } = await open();
    await hasSchema(page);
    await write(page, 'query', ' ');

    await page.keyboard.type('{');
    const suggestions = page.locator('.suggest-widget.visible');
    await suggestions.waitFor();
    await expect.poll(() => suggestions.innerText()).toContain('accounts');
    await picture(page, 'suggestions');
    const names = (await suggestions.innerText()).split('\n').filter(Boolean);
    expect(names.length).toBeGreaterThan(10);
    expect(names).toEqual([...names].sort());
  });

  it('begins a line by Enter after a brace, and takes a suggestion once a letter has chosen it', async () => {
    const { page } = await open();
    await hasSchema(page);
    await write(page, 'query', ' ');
    const suggestions = page.locator('.suggest-widget.visible');

    await page.keyboard.type('{');
    await suggestions.getByText('accounts').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page, 'query')).toMatch(/^ \{\n\s*\n\s*\}$/);
    await suggestions.getByText('accounts').waitFor();
    await page.keyboard.type('searchP');
    await suggestions.locator('.focused').getByText('searchPages').waitFor();
    await page.keyboard.press('Enter');

    await expect.poll(() => textOf(page, 'query')).toMatch(/\{\n\s*searchPages\n\s*\}/);
  });

  it.each([
    ['field', '{ topics { totalCuont } }', 'totalCuont', 'totalCount'],
    ['argument', '{ topics(fist: 3) { totalCount } }', 'fist', 'first'],
    ['argument of several', '{ page(pgeId: "page_northwind") { name } }', 'pgeId', 'pageId'],
    ['type', 'query ($first: Imt) { topics(first: $first) { totalCount } }', 'Imt', 'Int'],
  ])(
    'is mended by one press where a name is nearly right: %s',
    async (_what, text, wrong, right) => {
      const { page } = await open();
      await hasSchema(page);
      await write(page, 'query', text);
      await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();
      await page.locator('.graphiql-query-editor .view-lines').getByText(wrong).click();

      await page.keyboard.press('Control+.');
      const fix = page.getByText(`Change to “${right}”`);
      await fix.waitFor();
      await picture(page, 'quick-fix');
      // Nothing of it is cut off.
      const widths = await fix.evaluate((one) => {
        const { left } = one.getBoundingClientRect();
        return [
          left + one.scrollWidth,
          one.closest('.action-widget')!.getBoundingClientRect().right,
        ];
      });
      expect(widths[0]).toBeLessThanOrEqual(widths[1]!);
      await page.keyboard.press('Enter');

      await expect.poll(() => textOf(page, 'query')).toMatch(new RegExp(String.raw`\b${right}\b`));
      expect(await textOf(page, 'query')).not.toContain(wrong);
    },
  );

  it('is sent by Ctrl+Enter wherever the focus is: right after the page has loaded, and after Prettify', async () => {
    const { page } = await open();
    const answered = () =>
      page.waitForResponse((one) => one.request().headers()['x-explain'] === 'true');

    let answer = answered();
    await page.keyboard.press('Control+Enter');
    expect((await answer).status()).toBe(200);
    await page.locator('button.call').first().waitFor();
    await page.getByRole('button', { name: /^Prettify/ }).click();
    answer = answered();
    await page.keyboard.press('Control+Enter');
    expect((await answer).status()).toBe(200);
  });

  it('has colours that can be read when the preference changes while the page is open', async () => {
    const { page } = await open({ colorScheme: 'light' });

    await page.emulateMedia({ colorScheme: 'dark' });

    await expect.poll(() => page.locator('.monaco-editor.vs-dark').count()).toBeGreaterThan(2);
    expect(await page.locator('.monaco-editor.vs:not(.vs-dark)').count()).toBe(0);
    await picture(page, 'turned-dark');
    await expect.poll(() => leastContrast(page)).toBeGreaterThan(4.5);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => leastContrast(page)).toBeGreaterThan(4.5);
    await expect.poll(() => page.locator('.monaco-editor.vs-dark').count()).toBe(0);
    await expect.poll(() => leastContrast(page)).toBeGreaterThan(4.5);
  });

  it('is not called a syntax error while it is typed', async () => {
    const { page } = await open();
    await expectCost(page, /2–12 calls/);
    await write(page, 'query', '');
    for (const letter of 'query Typed') {
      await page.keyboard.type(letter);
      await page.waitForTimeout(500);
      expect(await page.getByText('Cost unknown').count()).toBe(0);
    }
    await expectCost(page, /Cost unknown: Syntax Error/);
  });
});

describe('the documentation', () => {
  it('puts a field into the query by its "+", and then a field of that into it', async () => {
    const { page, faults } = await open();
    await hasSchema(page);
    await write(page, 'query', '');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content a').getByText('Query').first().click();

    await page.getByRole('button', { name: 'Add topics to the query' }).click();
    await page.getByText('topics is in the query.').waitFor();
    await page.locator('.graphiql-doc-explorer-content a').getByText('TopicConnection').click();
    await page.getByRole('button', { name: 'Add totalCount to the query' }).click();
    await page.getByText('totalCount is in the query.').waitFor();
    await picture(page, 'documentation');
    const { data, errors } = await play(page);

    expect(data.topics.totalCount).toBeGreaterThan(0);
    expect(errors).toBeUndefined();
    await page.getByRole('button', { name: 'Add totalCount to the query' }).click();
    await page.getByText('totalCount is in the query already.').waitFor();
    expect(faults).toEqual([]);
  });

  it('shows each type and field from its top', async () => {
    const { page } = await open();
    await hasSchema(page);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const links = page.locator('.graphiql-doc-explorer-content a');
    await links.getByText('Query').first().click();
    await links.getByText('TopicConnection').scrollIntoViewIfNeeded();
    const scrolled = () => page.locator('.graphiql-plugin').evaluate((one) => one.scrollTop);
    expect(await scrolled()).toBeGreaterThan(100);

    await links.getByText('TopicConnection').click();

    await page.locator('.graphiql-doc-explorer-title', { hasText: 'TopicConnection' }).waitFor();
    await expect.poll(scrolled).toBe(0);
  });
});

describe('headers', () => {
  it('are sent, saved as an environment, and in no address, history or copy', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "x-team": "secret-of-ours" }');
    await page.getByRole('button', { name: 'Show Environments' }).click();
    await page.getByLabel('Save the headers of this tab as').fill('Staging');
    await page.locator('.save-environment button').click();
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.headers()['x-explain'] === 'true') sent.push(request.headers()['x-team']);
    });
    await play(page);
    await page.reload();
    await isUsable(page);
    await play(page);
    await picture(page, 'environments');

    expect(sent).toEqual(['secret-of-ours', 'secret-of-ours']);
    const holders = await page.evaluate(() =>
      Object.keys(localStorage).filter((name) => localStorage[name].includes('secret-of-ours')),
    );
    expect(holders).toEqual(['content-pages:environments']);
    expect(page.url()).not.toContain('secret');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).not.toContain('secret');
    await page.getByRole('button', { name: 'Delete Staging' }).click();
    expect(await page.evaluate(() => localStorage['content-pages:environments'])).toBe('[]');
  });

  it('are kept over a reload with their tab, but for credentials, which the page says', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "x-team": "blue", "Authorization": "Bearer secret" }');
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.waitForTimeout(800);

    await page.reload();
    await isUsable(page);
    const stored = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
    ]);
    await page.locator('.graphiql-tab-button').first().click();
    await page.getByText('a reload does not keep Authorization').waitFor();
    await page.locator('[data-name=headers]').click();

    await expect.poll(() => textOf(page, 'headers')).toMatch(/^\{ "x-team": "blue" *\}$/);
    expect(stored.map((text) => text.includes('blue'))).toEqual([false, true]);
    expect(stored.filter((text) => text.includes('secret'))).toEqual([]);
  });

  it('that no header can be are refused with a sentence', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "not a name": "x" }');

    await page.locator('.graphiql-execute-button').click();

    await expect.poll(() => textOf(page, 'answer')).toContain('Not sent. Headers:');
  });
});

describe('an answer', () => {
  const mark = (page: Page) => page.locator('.outdated');

  it('is marked once the query, the variables or the headers are others, and not by Prettify', async () => {
    const { page } = await open();
    await write(page, 'query', 'query Mine($first: Int) { topics(first: $first) { totalCount } }');
    await write(page, 'variables', '{ "first": 1 }');
    await play(page);
    await page.locator('button.call').first().waitFor();
    expect(await mark(page).count()).toBe(0);
    await page.getByRole('button', { name: /^Prettify/ }).click();
    await expect.poll(() => textOf(page, 'query')).toMatch(/^query Mine.*\n {2}topics/);
    expect(await mark(page).count()).toBe(0);

    await write(page, 'variables', '{ "first": 2 }');
    await page.getByText('The variables have changed since this answer.').waitFor();
    await picture(page, 'outdated');
    await play(page);
    await mark(page).waitFor({ state: 'detached' });
    await write(page, 'query', '{ topics { totalCount } }');
    await page.getByText('The query has changed since this answer.').waitFor();
    await play(page);
    await mark(page).waitFor({ state: 'detached' });
    await write(page, 'headers', '{ "x-team": "another" }');
    await page.getByText('The headers have changed since this answer.').waitFor();
  });

  it('is followed by no calls of the one before where the request was not sent', async () => {
    const { page } = await open();
    await play(page);
    await page.locator('button.call').first().waitFor();

    await write(page, 'variables', '{ "pageId": ');
    await page.locator('.graphiql-execute-button').click();

    await expect.poll(() => textOf(page, 'answer')).toContain('Request not sent');
    await page.getByText('Press Play to see which REST calls').waitFor();
    expect(await said(page)).toBe('');
  });
});

describe('what is looked at stays where it is', () => {
  it('the tab in view, of however many', async () => {
    const { page } = await open();
    for (let i = 0; i < 9; i++) await openExample(page, 'Topics with their entries');
    const active = page.locator('.graphiql-tab-active');
    const inView = () =>
      active.evaluate((tab) => {
        const list = tab.parentElement!.getBoundingClientRect();
        const { left, right } = tab.getBoundingClientRect();
        return left >= list.left - 1 && right <= list.right + 1;
      });

    const stillness = { timeout: 5_000 };
    await expect.poll(() => page.locator('.graphiql-tab').count(), stillness).toBe(10);
    await expect.poll(inView, stillness).toBe(true);
    // By its key: a mouse that presses a tab which is still moving drags it.
    await page.locator('.graphiql-tab-button').first().press('Enter');
    await expect.poll(inView, stillness).toBe(true);
  });

  it('the answer and its calls, over a reload', async () => {
    const { page } = await open();
    await play(page);
    await page.locator('button.call').first().waitFor();
    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');

    await page.reload();
    await isUsable(page);

    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');
    expect(await page.locator('button.call').count()).toBe(12);
    expect(await said(page)).toContain('HTTP 200');
  });

  it('the focus and the fields that were scrolled to, when another document is opened', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Show Fields' }).click();
    const inputs = page.locator('.fields-panel input');
    await page.waitForTimeout(500);
    const isInPanel = () =>
      page.evaluate(() => document.activeElement?.closest('.fields-panel') !== null);
    expect(await isInPanel()).toBe(false);
    expect(await page.locator('.graphiql-plugin').evaluate((one) => one.scrollTop)).toBe(0);

    await write(page, 'query', '{ page(pageId: "page_northwind") { name } }');
    await inputs.first().waitFor();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.locator('.graphiql-tab-button').first().click();
    await inputs.first().waitFor();
    await page.waitForTimeout(500);
    expect(await isInPanel()).toBe(false);
    await inputs.first().click();
    expect(await isInPanel()).toBe(true);
  });
});

describe('the panes', () => {
  it('open by one press each, whatever tooltip is shown', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Show Fields' }).click();
    await page.locator('.graphiql-tooltip').getByText('Hide Fields').first().waitFor();

    await page.getByRole('button', { name: 'Show History' }).click();

    await page.locator('.graphiql-history').waitFor({ timeout: 5_000 });
  });
});

describe('the design', () => {
  it.each([
    ['1280 pixels', { width: 1280, height: 800 }, false],
    ['1280 pixels beside a pane', { width: 1280, height: 800 }, true],
    ['390 pixels', { width: 390, height: 844 }, false],
  ])(
    'has text of 12 pixels at least, and rows that are whole buttons, at %s',
    async (_size, viewport, isPaneOpen) => {
      const { page } = await open({ viewport });
      if (isPaneOpen) await page.getByRole('button', { name: 'Show Examples and saved' }).click();
      await play(page);
      const rows = page.locator('button.call');
      await rows.first().waitFor();

      const small = await page.evaluate(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found: string[] = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const { parentElement, textContent } = node;
          if (!parentElement?.checkVisibility() || !textContent?.trim()) continue;
          if (Number.parseFloat(getComputedStyle(parentElement).fontSize) < 12)
            found.push(textContent);
        }
        return found;
      });
      expect(small).toEqual([]);
      const shown = await rows.evaluateAll((all) =>
        all.map((row) => {
          const box = (name: string) => row.querySelector(name)!.getBoundingClientRect();
          const [route, bars, end] = [
            box('.call-route'),
            box('.bars'),
            box('.call-route :last-child'),
          ];
          return {
            cursor: getComputedStyle(row).cursor,
            lines: Math.round((row.clientHeight - 4) / 18),
            isBelow: bars.top >= route.bottom,
            hasField: box('.call-field').height > 0,
            endIsSeen: end.right <= route.right + 1,
            isInside: bars.right <= row.getBoundingClientRect().right,
          };
        }),
      );
      const isNarrow = isPaneOpen || viewport.width === 390;
      for (const row of shown)
        expect(row).toEqual({
          cursor: 'pointer',
          lines: isNarrow ? 3 : 2,
          isBelow: isNarrow,
          hasField: true,
          endIsSeen: true,
          isInside: true,
        });
      await rows.nth(1).click({ position: { x: 4, y: 30 } });
      expect(await rows.nth(1).getAttribute('aria-pressed')).toBe('true');
    },
  );

  it.each([1440, 768, 390])('has nothing that is cut, at %i pixels', async (width) => {
    const { page } = await open({ viewport: { width, height: 900 } });
    await hasSchema(page);
    await play(page);
    await page.locator('button.call').first().waitFor();
    /** The parts of these elements that are out of sight, in pixels. */
    const cut = (selector: string) =>
      page.locator(selector).evaluateAll((all) =>
        all.flatMap((one) => {
          const { left, right } = one.getBoundingClientRect();
          const out = Math.max(-left, right - innerWidth, one.scrollWidth - one.clientWidth);
          return out > 1 ? [`${one.textContent}: ${out}`] : [];
        }),
      );

    const tool = '.graphiql-editor-tool .graphiql-editor:not(.hidden)';
    for (const editor of ['.graphiql-query-editor', tool, '.result-window'])
      await expect
        .poll(() =>
          page
            .locator(`${editor} .monaco-scrollable-element`)
            .first()
            .evaluate((one) => one.clientHeight % 20),
        )
        .toBe(0);
    expect(await cut('.document-menu button')).toEqual([]);
    const heights = await page
      .locator('.document-menu button')
      .evaluateAll((all) => all.map((one) => one.clientHeight));
    expect(new Set(heights).size).toBe(1);
    await page.locator('.cost summary').click();
    expect(await cut('.cost-explanation, .cost-explanation td')).toEqual([]);
    await page.getByRole('button', { name: 'Copy as' }).click();
    const item = page.getByRole('menuitem', { name: 'curl' });
    await item.click();
    expect(await page.locator('.cost[open]').count()).toBe(0);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.locator('.graphiql-dialog').waitFor();
    expect(await cut('.graphiql-dialog button')).toEqual([]);
    const dark = await page.locator('.graphiql-dialog').getByText('Dark').boundingBox();
    const dialog = await page.locator('.graphiql-dialog').boundingBox();
    expect(dark!.x + dark!.width).toBeLessThan(dialog!.x + dialog!.width);
    const { height } = (await page.getByRole('button', { name: 'Clear data' }).boundingBox())!;
    expect(height).toBeLessThan(40);
    await page.keyboard.press('Escape');
    await page.locator('.graphiql-dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open short keys dialog' }).click();
    await page.locator('.graphiql-dialog table').waitFor();
    expect(await cut('.graphiql-dialog')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.graphiql-dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content a').getByText('Query').first().click();
    await page.locator('.graphiql-doc-explorer-content code').first().waitFor();
    await picture(page, `documentation-${width}`);
    expect(await brokenRoutes(page)).toEqual([]);
    expect(await cut('.graphiql-doc-explorer-content')).toEqual([]);
    expect(await cut('.graphiql-doc-explorer-search input')).toEqual([]);
    await page.getByRole('button', { name: 'Show Fields' }).click();
    await page.locator('.fields-panel input').first().waitFor();
    await picture(page, `fields-${width}`);
    expect(await cut('.fields-panel input')).toEqual([]);
    // Long names deep down are reached by scrolling the pane.
    const beyond = await page.locator('.graphiql-plugin').evaluate((pane) => {
      pane.scrollLeft = pane.scrollWidth;
      const names = [...pane.querySelectorAll('.graphiql-explorer-field-view')];
      const { right } = pane.getBoundingClientRect();
      return names.filter((name) => name.getBoundingClientRect().right > right).length;
    });
    expect(beyond).toBe(0);
  });

  /** Parts of routes in the documentation that go on in another line. */
  const brokenRoutes = (page: Page) =>
    page.locator('.graphiql-doc-explorer-content code').evaluateAll((all) =>
      all
        .flatMap((code) => [...code.childNodes])
        .filter((part) => !part.textContent!.includes(' ') || part.textContent!.includes(' /'))
        .flatMap((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return range.getClientRects().length > 1 ? [part.textContent] : [];
        }),
    );

  it('leaves both query and answer room beside a pane at 768 pixels', async () => {
    const { page } = await open({ viewport: { width: 768, height: 900 } });
    await page.getByRole('button', { name: 'Show Examples and saved' }).click();
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!;

    await expect.poll(async () => (await box('.graphiql-editors')).width).toBeGreaterThan(350);

    const [editors, answer] = [await box('.graphiql-editors'), await box('.graphiql-response')];
    expect(answer.width).toBe(editors.width);
    expect(answer.y).toBeGreaterThan(editors.y + 200);
    expect(answer.y + answer.height).toBeLessThanOrEqual(900);
  });

  it('says beside the buttons what they did', async () => {
    const { page } = await open({ viewport: { width: 1440, height: 900 } });

    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    const words = await page.getByText('Saved as').evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect().right;
    });

    expect((await save.boundingBox())!.x - words).toBeLessThan(60);
  });

  it('has arrows where there is no room for all tabs', async () => {
    const { page } = await open({ viewport: { width: 768, height: 900 } });
    expect(await page.getByRole('button', { name: 'Earlier tabs' }).count()).toBe(0);
    for (let i = 0; i < 6; i++) await openExample(page, 'Topics with their entries');
    const list = page.locator('.graphiql-tabs');
    await expect.poll(() => list.evaluate((one) => one.scrollLeft)).toBeGreaterThan(100);

    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Earlier tabs' }).click();
        return list.evaluate((one) => one.scrollLeft);
      })
      .toBe(0);
  });

  it.each([
    ['a long title', 'Step through the audiences of a page'],
    ['the mark of a subscription', 'Watch a version being published'],
  ])('shows the whole tab in view beside arrows, with %s', async (_what, example) => {
    const { page } = await open({ viewport: { width: 768, height: 900 } });
    await openExample(page, example);
    if (example.startsWith('Watch')) {
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.graphiql-tab-active[data-subscribed]').waitFor();
    }
    await page.getByRole('button', { name: 'Later tabs' }).waitFor();
    const out = () =>
      page.locator('.graphiql-tab-active').evaluate((tab) => {
        const list = tab.parentElement!.getBoundingClientRect();
        const { left, right } = tab.getBoundingClientRect();
        return Math.max(0, Math.round(list.left - left), Math.round(right - list.right));
      });

    await expect.poll(out).toBe(0);
  });

  it('shows whole lines around the field of a call that is pressed', async () => {
    const { page } = await open({ viewport: { width: 768, height: 900 } });
    await play(page);
    await page.locator('button.call').nth(3).click();
    await expect.poll(() => page.locator('.marked-field').count()).toBe(2);

    const tops = await page
      .locator(':is(.graphiql-query-editor, .result-window) .lines-content')
      .evaluateAll((all) => all.map((one) => Number.parseFloat((one as HTMLElement).style.top)));

    expect(tops.some((top) => top < 0)).toBe(true);
    expect(tops.map((top) => Math.abs(top % 20))).toEqual([0, 0]);
  });

  it('has dialogs and menus in the type of the page', async () => {
    const { page } = await open();
    const family = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).fontFamily);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.locator('.graphiql-dialog').waitFor();
    await picture(page, 'settings');

    expect(await family('.graphiql-dialog button')).toBe(await family('.document-menu button'));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy as' }).click();
    expect(await family('.graphiql-dropdown-item')).toBe(await family('.document-menu button'));
    await picture(page, 'copy-as');
  });

  it('says of a query that is not valid that no REST call was made', async () => {
    const { page } = await open();
    await write(page, 'query', '{ nope }');
    await page.locator('.graphiql-execute-button').click();

    await page.getByText('No REST call: the query is invalid.').waitFor();
  });
});

describe('without serious barriers:', () => {
  const seriousFaults = async (page: Page) => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  };

  it.each(['light', 'dark'] as const)('axe finds nothing serious in %s', async (colorScheme) => {
    const { page } = await open({ colorScheme });
    await page.getByRole('button', { name: /Examples and saved/ }).click();
    await play(page);
    await page.locator('button.call').first().waitFor();
    await expectCost(page, /\d calls?/);
    await picture(page, colorScheme);

    expect(await seriousFaults(page)).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'each pane and dialog has words that can be read, in %s',
    async (colorScheme) => {
      const { page } = await open({ colorScheme });
      await hasSchema(page);
      await page.evaluate(axe.source);
      const found: string[] = [];
      const look = async (where: string) => {
        // What fades in is read when it is there.
        await page.waitForTimeout(300);
        const { violations } = await page.evaluate<axe.AxeResults>(
          "axe.run({ runOnly: ['color-contrast'] })",
        );
        for (const { nodes } of violations)
          for (const { html, failureSummary } of nodes)
            found.push(`${where}: ${html.slice(0, 120)} ${failureSummary}`);
      };
      const links = page.locator('.graphiql-doc-explorer-content a');

      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await look('documentation');
      await page.locator('.graphiql-doc-explorer-search input').fill('audi');
      await page.locator('[role=option]').first().waitFor();
      await look('search');
      await page.keyboard.press('Escape');
      await links.getByText('Query').first().click();
      await look('a type');
      await links.getByText('topics', { exact: true }).click();
      await look('a field');
      for (const pane of ['Fields', 'History', 'Environments']) {
        await page.getByRole('button', { name: `Show ${pane}` }).click();
        await look(pane);
      }
      await page.getByRole('button', { name: 'Copy as' }).click();
      await look('menu');
      await page.keyboard.press('Escape');
      for (const dialog of ['settings', 'short keys']) {
        await page.getByRole('button', { name: `Open ${dialog} dialog` }).click();
        await page.locator('.graphiql-dialog').waitFor();
        await look(dialog);
        await page.keyboard.press('Escape');
        await page.locator('.graphiql-dialog').waitFor({ state: 'detached' });
      }

      expect(found).toEqual([]);
    },
  );

  it('axe finds nothing serious beside errors and an explained cost', async () => {
    const { page } = await open();
    await openExample(page, 'Errors in a part of the answer');
    await play(page);
    await page.locator('.status-line .failed').waitFor();
    await page.locator('.cost summary').click();

    expect(await seriousFaults(page)).toEqual([]);
  });

  it('a phone, 390 pixels wide', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    /** How far the page goes on where nothing is, in pixels. */
    const below = () =>
      page.evaluate(() => {
        const { bottom } = document.querySelector('#explorer')!.getBoundingClientRect();
        return Math.round(document.documentElement.scrollHeight - scrollY - bottom);
      });
    expect(await below()).toBe(0);

    await play(page);
    await page.locator('button.call').first().waitFor();
    await picture(page, 'phone');
    const { y } = (await page.locator('.result-window').boundingBox())!;
    expect([y > -50, y < 400]).toEqual([true, true]);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await below()).toBe(0);
    const box = await page.locator('button.call').first().boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(390);
    const heights = await Promise.all(
      ['.graphiql-query-editor', '.result-window'].map((one) => page.locator(one).boundingBox()),
    );
    for (const one of heights) expect(one!.height).toBeGreaterThan(200);
    await page.locator('.waterfall').scrollIntoViewIfNeeded();
    await picture(page, 'phone-calls');
    await openExample(page, 'Topics with their entries');
    await expect.poll(() => textOf(page, 'query')).toContain('topics');
    await picture(page, 'phone-example');
    expect(await page.locator('.graphiql-plugin').isVisible()).toBe(false);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('a keyboard alone', async () => {
    const { page } = await open();
    const reach = async (selector: string) => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate((css) => document.activeElement?.matches(css), selector)) return;
      }
      throw new Error(`Not reached by Tab: ${selector}`);
    };

    await reach('.key-field input');
    await reach('.document-menu button');
    await reach('.graphiql-query-editor .graphiql-editor');
    await page.keyboard.press('Enter');
    const answered = page.waitForResponse((one) => one.request().headers()['x-explain'] === 'true');
    await page.keyboard.press('Control+Enter');
    await answered;
    await page.locator('button.call').first().waitFor();
    await reach('.graphiql-execute-button');
    await reach('button.call');
    await page.keyboard.press('Enter');

    expect(await page.locator('button.call[aria-pressed=true]').count()).toBe(1);
  });
});
