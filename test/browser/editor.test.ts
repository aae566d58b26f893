/** Text in the editors of GraphiQL, typed or inserted from the documentation. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectCost, picture, play, textOf, write } from './browser.ts';
import { hasSchema, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('the query editor', () => {
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

  it('suggests fields right after a brace, where Enter starts a line, and inserts the field selected by typing', async () => {
    const { page } = await open();
    await hasSchema(page);
    await write(page, 'query', ' ');
    const suggestions = page.locator('.suggest-widget.visible');

    await page.keyboard.type('{');
    await suggestions.getByText('accounts').waitFor();
    await picture(page, 'suggestions');
    const names = (await suggestions.innerText()).split('\n').filter(Boolean);
    expect(names.length).toBeGreaterThan(10);
    expect(names).toEqual([...names].sort());
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page, 'query')).toMatch(/^ \{\n\s*\n\s*\}$/);
    await suggestions.getByText('accounts').waitFor();
    await page.keyboard.type('searchP');
    await suggestions.locator('.focused').getByText('searchPages').waitFor();
    await page.keyboard.press('Enter');

    await expect.poll(() => textOf(page, 'query')).toMatch(/\{\n\s*searchPages\n\s*\}/);
  });

  it('corrects a misspelt field, argument or type by a quick fix', async () => {
    const { page } = await open();
    await hasSchema(page);
    const mark = page.locator('.graphiql-query-editor .squiggly-error');
    const mistakes = [
      ['{ topics { totalCuont } }', 'totalCuont', 'totalCount'],
      ['{ topics(fist: 3) { totalCount } }', 'fist', 'first'],
      ['{ page(pgeId: "page_northwind") { name } }', 'pgeId', 'pageId'],
      ['query ($first: Imt) { topics(first: $first) { totalCount } }', 'Imt', 'Int'],
    ] as const;
    for (const [text, wrong, right] of mistakes) {
      await write(page, 'query', text);
      await mark.first().waitFor();
      await page.locator('.graphiql-query-editor .view-lines').getByText(wrong).click();

      await page.keyboard.press('Control+.');
      const fix = page.getByText(`Change to “${right}”`);
      await fix.waitFor();
      await picture(page, 'quick-fix');
      // The whole text is visible.
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
      await mark.first().waitFor({ state: 'detached' });
    }
  });

  it('sends the query by Ctrl+Enter right after the page has loaded, and after Prettify', async () => {
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

  it('keeps a contrast of 4.5 when the preferred colour scheme changes while the page is open', async () => {
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

  it('reports a syntax error only after a pause in typing', async () => {
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

it.each([
  ['its button', (page: Page) => page.getByRole('button', { name: /^Merge fragments/ }).click()],
  ['its shortcut', (page: Page) => page.keyboard.press('Control+Shift+M')],
])('“Merge fragments” keeps the directives of a spread, by %s', async (_how, press) => {
  const { page } = await open();
  await write(
    page,
    'query',
    'query A($x: Boolean! = true) { topics(first: 1) { ...F @include(if: $x) } }\nfragment F on TopicConnection { totalCount }',
  );
  // GraphiQL reads a document a moment after it was written.
  await expectCost(page, /^(?:0–)?1 call/);

  await press(page);

  await expect
    .poll(() => textOf(page, 'query'))
    .toMatch(/\.\.\. on TopicConnection @include\(if: \$x\) \{\s+totalCount/);
  expect(await textOf(page, 'query')).not.toContain('fragment');
});

it('“Re-fetch GraphQL schema” sends a request', async () => {
  const { page } = await open();
  await hasSchema(page);
  const sent = page.waitForRequest((request) => request.url().includes('IntrospectionQuery'));

  await page.getByRole('button', { name: 'Re-fetch GraphQL schema' }).click();

  await sent;
});

it('the response shows 64-bit integers unchanged, also after a reload', async () => {
  const { page } = await open();
  await page.route('**/graphql', async (route) =>
    route.request().headers()['x-explain'] === 'true'
      ? route.fulfill({
          contentType: 'application/json',
          body: '{"data":{"big":12345678901234567890,"small":1.50}}',
        })
      : route.continue(),
  );
  const shown = () => textOf(page, 'answer');

  await page.locator('.graphiql-execute-button').click();

  await expect.poll(shown).toMatch(/"big": 12345678901234567890,\s+"small": 1.50/);
  await page.reload();
  await expect.poll(shown).toContain('12345678901234567890');
});

it('the cost of an empty selection, as braces leave it while a query is typed, is no syntax error', async () => {
  const { page } = await open();
  await write(page, 'query', '');
  for (const typed of ['{', 'topics {']) {
    await page.keyboard.type(typed);
    await expectCost(page, /Cost unknown: select at least one field/);
  }
});

describe('the documentation', () => {
  it('adds the variables of a field to the existing ones, and reports that next to its "+"', async () => {
    const { page, faults } = await open();
    await hasSchema(page);
    await write(page, 'query', '');
    await write(page, 'variables', '{ "first": 2 }');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content a').getByText('Query').first().click();
    const button = page.getByRole('button', { name: 'Add audience to the query' });
    await button.click();

    const said = page.getByText('audience was added. Set $audienceId and $pageId');
    await said.waitFor();
    await expect
      .poll(async () => (await textOf(page, 'query')).replaceAll(/\s+/g, ' '))
      .toContain('audience(audienceId: $audienceId, pageId: $pageId)');
    const [from, to] = await Promise.all([button.boundingBox(), said.boundingBox()]);
    expect(Math.abs(from!.y - to!.y)).toBeLessThan(100);
    await picture(page, 'documentation-variables');
    const text = await textOf(page, 'variables');
    expect(JSON.parse(text)).toEqual({ first: 2, audienceId: null, pageId: null });

    await write(page, 'query', '');
    await write(page, 'variables', '{ "pageId": "page_northwind" }');
    await button.click();
    await page.getByText('audience was added. Set $audienceId under Variables.').waitFor();
    expect(faults).toEqual([]);
  });

  it('inserts a field into the query by its "+", and then a field of that field', async () => {
    const { page, faults } = await open();
    await hasSchema(page);
    await write(page, 'query', '');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content a').getByText('Query').first().click();

    await page.getByRole('button', { name: 'Add topics to the query' }).click();
    await page.getByText('topics was added.').waitFor();
    await page.locator('.graphiql-doc-explorer-content a').getByText('TopicConnection').click();
    await page.getByRole('button', { name: 'Add totalCount to the query' }).click();
    await page.getByText('totalCount was added.').waitFor();
    await picture(page, 'documentation');
    const { data, errors } = await play(page);

    expect(data.topics.totalCount).toBeGreaterThan(0);
    expect(errors).toBeUndefined();
    await page.getByRole('button', { name: 'Add totalCount to the query' }).click();
    await page.getByText('totalCount is already in the query.').waitFor();
    expect(faults).toEqual([]);
  });

  it('scrolls to the top when a type is opened', async () => {
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
