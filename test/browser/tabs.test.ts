/** State of GraphiQL: kept over a reload, by tab and in view, and responses that are outdated. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExample, picture, play, textOf, untilStored, write } from './browser.ts';
import { isUsable, statusLineOf, useGraphiql } from './graphiql.ts';

const graphiql = useGraphiql();
const { open } = graphiql;

describe('open documents', () => {
  it('survive a reload and a return to the page, and a saved one can be opened', async () => {
    const { page } = await open();
    await write(page, 'query', 'query Mine { topics { totalCount } }');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as Mine.').waitFor();
    await untilStored(page, 'graphiql:tabState', 'query Mine');

    await page.reload();
    await isUsable(page);
    await expect.poll(() => textOf(page, 'query')).toContain('query Mine');
    await page.goto(`${graphiql.gateway.url}/health`);
    await page.goBack();
    await isUsable(page);

    await expect.poll(() => textOf(page, 'query')).toContain('query Mine');
    await openExample(page, 'Mine');
    expect(await page.locator('.graphiql-tab').count()).toBe(2);
  });

  it('are kept apart for each tab of the browser', async () => {
    const { page } = await open();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await isUsable(other);
    await write(page, 'query', 'query Left { topics { totalCount } }');
    await write(other, 'query', 'query Right { persons { totalCount } }');
    await Promise.all([
      untilStored(page, 'graphiql:tabState', 'query Left'),
      untilStored(other, 'graphiql:tabState', 'query Right'),
    ]);

    await Promise.all([page.reload(), other.reload()]);
    await Promise.all([isUsable(page), isUsable(other)]);

    await expect.poll(() => textOf(page, 'query')).toContain('query Left');
    await expect.poll(() => textOf(other, 'query')).toContain('query Right');
  });
});

describe('GraphiQL', () => {
  it('keeps the active tab in view among ten', async () => {
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

  it('keeps the response and its calls across a reload', async () => {
    const { page } = await open();
    await play(page);
    await page.locator('button.call').first().waitFor();
    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');

    await page.reload();
    await isUsable(page);

    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');
    expect(await page.locator('button.call').count()).toBe(12);
    expect(await statusLineOf(page)).toContain('HTTP 200');
  });

  it('does not focus the fields pane when it or another document is opened, until it is clicked', async () => {
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

describe('a response', () => {
  const mark = (page: Page) => page.locator('.outdated');

  it('is marked as outdated when the query, the variables or the headers change, but not by Prettify', async () => {
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
    await page.getByText('The variables have changed since this response.').waitFor();
    await picture(page, 'outdated');
    await play(page);
    await mark(page).waitFor({ state: 'detached' });
    await write(page, 'query', '{ topics { totalCount } }');
    await page.getByText('The query has changed since this response.').waitFor();
    await play(page);
    await mark(page).waitFor({ state: 'detached' });
    await write(page, 'headers', '{ "x-team": "another" }');
    await page.getByText('The headers have changed since this response.').waitFor();
  });

  it('to a request that was not sent is shown without the calls of the previous response', async () => {
    const { page } = await open();
    await play(page);
    await page.locator('button.call').first().waitFor();

    await write(page, 'variables', '{ "pageId": ');
    await page.locator('.graphiql-execute-button').click();

    await expect.poll(() => textOf(page, 'answer')).toContain('Request not sent');
    await page.getByText('Run a query to see its REST calls').waitFor();
    expect(await statusLineOf(page)).toBe('');
  });
});
