/**
 * GraphiQL as its users meet it: a browser, the printed URL, and what they do from there.
 *
 * Needs Chromium. Pictures are kept in `.data/graphiql/`.
 */
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readManifest } from '../../src/server/trusted/manifest.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { launch } from './chromium.ts';
import { HAR } from './har.ts';
import {
  expectCost,
  openExample,
  picture,
  play,
  textOf,
  visit,
  write,
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

/** GraphiQL in a new browser profile. */
async function open(options?: Parameters<typeof visit>[1]): Promise<Visit> {
  const visitor = await visit(browser, options);
  await visitor.page.goto(`${gateway.url}/graphql`);
  await isUsable(visitor.page);
  return visitor;
}

const isUsable = (page: Page) => page.locator('.graphiql-execute-button').waitFor();

const rowsOf = async (page: Page) =>
  page.locator('tr.call').evaluateAll((rows) =>
    rows.map((row) => ({
      call: row.querySelector('button')?.textContent,
      field: row.querySelector('small')?.textContent,
      status: Number.parseInt(row.children[1]?.textContent ?? '', 10),
    })),
  );

const said = (page: Page) => page.locator('.status-line').innerText();

describe('a first visit', () => {
  it('ends at data by one press, with everything from this gateway and nothing in the console', async () => {
    const { page, strangers, faults } = await open();
    await expectCost(page, /2–12 calls\s+2 rounds\s+1–188 values\s+dearest: page/);

    const { data, errors } = await play(page);
    await page.locator('tr.call').first().waitFor();
    await picture(page, 'first-visit');

    expect(data.page.name).toBe('Northwind launch');
    expect(errors).toBeUndefined();
    expect(await textOf(page, 'answer')).toContain('"audiences": {');
    expect(await page.title()).toBe('Content Pages · GraphiQL');
    expect([strangers, faults]).toEqual([[], []]);
  });

  it('shows a row for each REST call, and marks the field of the one that is pressed', async () => {
    const { page } = await open();

    const { extensions } = await play(page);
    const rows = page.locator('tr.call');
    await rows.first().waitFor();
    const person = rows.filter({ hasText: 'nodes.1.person' });
    await person.getByRole('button').click();

    expect(await rowsOf(page)).toEqual(
      extensions.upstream.journal.map(({ method, route, path, status }: any) => ({
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
    expect(await said(page)).toMatch(/^HTTP 200\s+\d+ ms\s+\d/);
  });

  it('is as good the second time: after a reload nothing of size is loaded, and Play answers', async () => {
    const { page } = await open();
    await page.getByText('2–12 calls').waitFor();
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
    const { page } = await open();
    await expectCost(page, /2–12 calls/);

    await write(page, 'query', '{ topics(first: 3) { nodes { title } } }');
    await expectCost(page, /^1 calls?\s+1 round\b/);
    await write(page, 'query', '{ topics(first: 3) { nodes { nope } } }');
    await expectCost(page, /No plan: Cannot query field "nope"/);
    const many = Array.from({ length: 25 }, (_, i) => `p${i}: person(personId: "p${i}") { name }`);
    await write(page, 'query', `{ ${many.join(' ')} }`);
    await expectCost(page, /25 calls/);
    await openExample(page, 'More than a request may cost');
    await expectCost(page, /Over budget|May be cut at 250 calls/);
    await picture(page, 'over-budget');

    await page
      .getByRole('button', { name: /history/i })
      .first()
      .click();
    expect(await page.locator('.graphiql-history-item').count()).toBe(0);
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
      data.page.audiences.edges.map(({ node }: any) => node.id),
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

  it('answer in parts, and show the calls of all of them', async () => {
    const { page } = await open();

    await openExample(page, 'A page at once, its audiences later');
    await page.locator('.graphiql-execute-button').click();
    await page.locator('tr.call').first().waitFor();

    const text = await textOf(page, 'answer');
    expect(text).toContain('"name": "Northwind launch"');
    expect(text).toContain('"effectiveName"');
    expect((await rowsOf(page)).map(({ field }) => field)).toContain('page.audiences');
  });

  it('publish a version, and watch how far it comes', async () => {
    const { page } = await open();

    await openExample(page, 'Publish a version');
    await expectCost(page, /\d calls?/);
    const { data } = await play(page);
    await openExample(page, 'Watch a version being published');
    const { id } = data.publishAudienceVersion.audienceVersion;
    await write(page, 'variables', JSON.stringify({ id }));
    await page.locator('.graphiql-execute-button').click();

    expect(data.publishAudienceVersion.userErrors).toEqual([]);
    await expect
      .poll(() => textOf(page, 'answer'), { timeout: 20_000 })
      .toMatch(/"status": "published"/);
  });
});

describe('what leaves the page', () => {
  it('is a HAR that developer tools open, without key', async () => {
    const { page } = await open();
    const { extensions } = await play(page);
    await page.locator('tr.call').first().waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const har = HAR.parse(JSON.parse(text));

    expect(har.log.entries).toHaveLength(1 + extensions.upstream.journal.length);
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
    await page.locator('tr.call').first().waitFor();

    const curl = await copied('Copy as curl');
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
    expect(curl).toMatch(/^curl -s 'http:\/\/127.0.0.1:\d+\/graphql' .*"x-api-key: \$API_KEY"/s);
    expect(curl + link + decodeURIComponent(link)).not.toContain('demo');
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

    expect(stored.map((text) => text.includes('my-secret-key'))).toEqual([false, true, false]);
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
    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(faults).toEqual([]);
  });
});

it('over a deployment it asks for a key, and finds a page by itself', async () => {
  const [, backend] = /(http:\/\/127[\d.:]+)\/v0\/openapi/.exec(gateway.output)!;
  const deployed = await startGateway({ UPSTREAM_URL: backend! });
  onTestFinished(async () => void (await deployed.stop()));
  const { page, faults } = await visit(browser);
  await page.goto(`${deployed.url}/graphql`);
  await isUsable(page);

  await page.getByText('Enter a key: every operation is sent with it.').waitFor();
  await page.getByLabel('API key').fill('demo');
  await page.keyboard.press('Enter');
  await expect.poll(() => textOf(page, 'variables')).not.toContain('the id of a page');
  const { data, errors } = await play(page);

  expect([typeof data.page.name, errors]).toEqual(['string', undefined]);
  expect(faults).toEqual([]);
});

describe('accessibility:', () => {
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
    await page.locator('tr.call').first().waitFor();
    await expectCost(page, /\d calls?/);
    await picture(page, colorScheme);

    expect(await seriousFaults(page)).toEqual([]);
  });

  it('axe finds nothing serious beside errors', async () => {
    const { page } = await open();
    await openExample(page, 'Errors in a part of the answer');
    await play(page);
    await page.locator('.status-line .failed').waitFor();

    expect(await seriousFaults(page)).toEqual([]);
  });

  it('a phone, 390 pixels wide', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });

    await play(page);
    await page.locator('tr.call').first().waitFor();
    await picture(page, 'phone');

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const box = await page.locator('tr.call').first().boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(390);
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
    await page.locator('tr.call').first().waitFor();
    await reach('.graphiql-execute-button');
    await reach('tr.call button');
    await page.keyboard.press('Enter');

    expect(await page.locator('tr.call[aria-selected=true]').count()).toBe(1);
  });
});
