/** A first visit of GraphiQL, and the second. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';
import { expectCost, openExample, picture, play, textOf, type JournalCall } from './browser.ts';
import { hasSchema, isUsable, rowsOf, statusLineOf, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('a first visit', () => {
  it('gets data by one press of Play, without requests to other hosts or messages in the console', async () => {
    const { page, strangers, lines } = await open();
    await expectCost(
      page,
      /2–12 calls\s+2 round trips\s+1–188 values\s+most calls: page.audiences.person/,
    );

    const { data, errors } = await play(page);
    await page.locator('button.call').first().waitFor();
    await picture(page, 'first-visit');

    expect(data.page.name).toBe('Northwind launch');
    expect(errors).toBeUndefined();
    expect(await textOf(page, 'answer')).toContain('"audiences": {');
    // The call log has its own pane.
    expect(await textOf(page, 'answer')).not.toContain('upstream');
    expect(await page.title()).toBe('Content Pages · GraphiQL');
    expect([strangers, lines]).toEqual([[], []]);
  });

  it('gets data by one press of Play below BASE_PATH, without requests to other hosts', async () => {
    const below = await startGateway({ BASE_PATH: '/content/pages' });
    onTestFinished(async () => void (await below.stop()));
    const { page, strangers, lines } = await open({ url: `${below.url}/` });
    await hasSchema(page);

    const { data } = await play(page);

    expect(data.page.name).toBe('Northwind launch');
    expect(new URL(page.url()).pathname).toBe('/content/pages/graphql');
    expect([strangers, lines]).toEqual([[], []]);
  });

  it('loads the schema, which later visits take from the cache of the browser', async () => {
    const { page } = await open();
    await hasSchema(page);
    const tools = await page.context().newCDPSession(page);
    const isCached: boolean[] = [];
    tools.on('Network.responseReceived', ({ response }) => {
      if (response.url.includes('IntrospectionQuery')) isCached.push(response.fromDiskCache!);
    });
    await tools.send('Network.enable');

    await page.reload();
    await hasSchema(page);

    expect(isCached).toEqual([true]);
  });

  it('shows a row for each REST call, and marks the field of the selected call', async () => {
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
    expect(totals).toContain(`${calls} calls, ${rounds} round trips`);
    await expect
      .poll(() => page.locator('.waterfall header').innerText())
      .toContain('planned: 2–12');
    expect(await person.getAttribute('title')).toMatch(/^Request id \S+$/);
    await expect.poll(() => page.locator('.marked-field').count()).toBe(2);
    await expect
      .poll(() => statusLineOf(page))
      .toMatch(/^HTTP 200\s+\d+ ms\s+\d\.\d kB, \d\.\d kB uncompressed\s+Response headers/);
    expect(totals).toMatch(/backend [\d.]+ ms/);
    await expect
      .poll(() => page.locator('.waterfall header').innerText())
      .toMatch(/gateway [\d.]+ ms/);
    await page.getByText('Response headers').click();
    expect(await statusLineOf(page)).toMatch(/x-request-id\s+\S+/);
  });

  it('keeps calls and responses in the tab that requested them', async () => {
    const { page } = await open();
    await play(page);
    const totals = page.locator('.waterfall header');
    await expect.poll(() => totals.innerText()).toContain('12 calls, 2 round trips');

    await openExample(page, 'Topics with their entries');
    await page.getByText('Run a query to see its REST calls').waitFor();
    await play(page);
    await expect.poll(() => totals.innerText()).toContain('1 call, 1 round trip');
    await page.locator('.graphiql-tab-button').first().click();

    await expect
      .poll(() => totals.innerText())
      .toMatch(/12 calls, 2 round trips\s+planned: 2–12 calls/);
    await expect.poll(() => textOf(page, 'answer')).toContain('"page": {');
    await page.locator('.graphiql-execute-button').click();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.waitForTimeout(1_000);
    expect((await textOf(page, 'answer')).trim()).toBe('');
  });

  it('explains the cost by route, number of calls and field', async () => {
    const { page } = await open();
    await expectCost(page, /2–12 calls/);

    await page.locator('.cost button').click();
    await picture(page, 'cost-explained');

    const explanation = await page.locator('.cost-explanation').innerText();
    expect(explanation).toMatch(/0–5\s+GET \/v0\/persons\/\{person_id\}\s+page.audiences.person/);
    expect(explanation).toContain('Limit per request: 250 calls and 50,000 values.');
  });

  it('is followed by a reload that loads less than 30 kB, after which Play gets data', async () => {
    const { page } = await open();
    await page.getByText('2–12 calls').waitFor();
    await hasSchema(page);
    // The font of icons is loaded when the first icon is shown, which may be at either visit.
    await page.evaluate(() => document.fonts.load('16px codicon'));
    // Files that are still loading are not cached. Chromium reports no end of some scripts of workers, so that the
    // network never becomes idle.
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
