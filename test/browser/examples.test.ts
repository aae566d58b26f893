/** The examples that GraphiQL opens, subscriptions among them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { status } from '../support/faults.ts';
import { startGateway } from '../support/gateway-process.ts';
import { expectCost, openExample, picture, play, textOf, write } from './browser.ts';
import { isUsable, rowsOf, statusLineOf, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('GraphiQL', () => {
  it('opens an example in a separate tab with ids of the backend, and pages through its list', async () => {
    const { page } = await open();

    await openExample(page, 'Page through audiences');
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

  it('counts errors by their codes in the status line', async () => {
    const { page } = await open();

    await openExample(page, 'Partial errors');
    const { data } = await play(page);
    await expect.poll(() => statusLineOf(page)).toMatch(/1 × BAD_USER_INPUT/);
    await picture(page, 'partial-errors');

    expect(data).toMatchObject({ found: { name: 'Northwind launch' }, missing: null });
  });

  it('shows the seconds to wait after RATE_LIMITED', async () => {
    const upstream = await openFaultUpstream();
    upstream.on('*', status(429, { 'retry-after': '60' }));
    const limited = await startGateway({ UPSTREAM_URL: upstream.url });
    onTestFinished(async () => void (await limited.stop(), await upstream.stop()));
    const { page } = await open({ url: `${limited.url}/graphql` });

    await page.getByLabel('API key').fill('key-of-tenant-a-0123456789');
    await page.keyboard.press('Enter');
    await write(page, 'query', '{ topics { totalCount } }');
    await play(page);

    await expect.poll(() => statusLineOf(page)).toMatch(/1 × RATE_LIMITED, retry after \d+ s/);
  });

  it('shows a response with incremental delivery, and the calls of all parts', async () => {
    const { page } = await open();

    await openExample(page, 'A page, then its audiences');
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
    expect(await statusLineOf(page)).toMatch(/^HTTP 200\s+\d+ ms\s+\d\.\d kB\s+2 results/);
  });

  it('watches a version in one tab while it is published in another, and lists the changes', async () => {
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

    await events.getByText('Complete.').waitFor();
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

  it('shows the last event of a subscription that ended while another tab was active, also after a reload', async () => {
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

  it('keeps a subscription running while another tab is active, and ends it by Stop', async () => {
    const { page } = await open();
    const button = page.locator('.graphiql-execute-button');
    const ended: string[] = [];
    page.on('requestfailed', (request) => {
      // On a busy machine the tab is left before its plan is there.
      if (request.headers()['x-explain'] === 'plan') return;
      ended.push(request.failure()?.errorText ?? '');
    });

    await openExample(page, 'Watch a version being published');
    await button.click();
    await page.locator('.events').getByText('first event').waitFor();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByText('Run a query to see its REST calls').waitFor();
    await page.waitForTimeout(300);
    expect(ended).toEqual([]);
    await page.getByText('Still subscribed in').getByRole('button').click();
    await expect.poll(() => button.getAttribute('aria-label')).toMatch(/^Stop/);
    await expect.poll(() => textOf(page, 'answer')).toMatch(/"status": "draft"/);
    await button.click();

    await page.getByText('Ended: you stopped it.').waitFor();
    await expect.poll(() => ended).toEqual(['net::ERR_ABORTED']);
  });
});
