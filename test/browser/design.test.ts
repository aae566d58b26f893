/** The layout of GraphiQL at the widths of desktops, tablets and phones. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExample, picture, play, write } from './browser.ts';
import { hasSchema, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('the design', () => {
  const looks = (rows: Locator) =>
    rows.evaluateAll((all) =>
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

  it('has text of at least 12 pixels, and calls that are buttons as whole rows, at 1280 and 390 pixels and next to a pane', async () => {
    const { page } = await open();
    await play(page);
    const rows = page.locator('button.call');
    await rows.first().waitFor();
    const scenes = [
      { width: 1280, height: 800, isPaneOpen: false },
      { width: 390, height: 844, isPaneOpen: false },
      { width: 1280, height: 800, isPaneOpen: true },
    ];

    for (const [i, { isPaneOpen, ...size }] of scenes.entries()) {
      await page.setViewportSize(size);
      if (isPaneOpen) await page.getByRole('button', { name: 'Show Examples and saved' }).click();
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
      const isNarrow = isPaneOpen || size.width === 390;
      await expect
        .poll(() => looks(rows))
        .toEqual(
          Array.from({ length: await rows.count() }, () => ({
            cursor: 'pointer',
            lines: isNarrow ? 3 : 2,
            isBelow: isNarrow,
            hasField: true,
            endIsSeen: true,
            isInside: true,
          })),
        );
      await rows.nth(i).click({ position: { x: 4, y: 30 } });
      expect(await rows.nth(i).getAttribute('aria-pressed')).toBe('true');
    }
  });

  it.each([1440, 768, 390])('cuts nothing off at %i pixels', async (width) => {
    const { page } = await open({ viewport: { width, height: 900 } });
    await hasSchema(page);
    await play(page);
    await page.locator('button.call').first().waitFor();
    /** Elements with a part out of sight, and its width in pixels. */
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
    await page.locator('.cost button').click();
    expect(await cut('.cost-explanation, .cost-explanation td')).toEqual([]);
    await page.getByRole('button', { name: 'Copy as' }).click();
    const item = page.getByRole('menuitem', { name: 'curl' });
    await item.click();
    expect(await page.locator('.cost-explanation:popover-open').count()).toBe(0);
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

  /** Parts of routes in the documentation that are broken into several lines. */
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

  it('puts the response below the query next to a pane at 768 pixels', async () => {
    const { page } = await open({ viewport: { width: 768, height: 900 } });
    await page.getByRole('button', { name: 'Show Examples and saved' }).click();
    const box = async (selector: string) => (await page.locator(selector).boundingBox())!;

    await expect.poll(async () => (await box('.graphiql-editors')).width).toBeGreaterThan(350);

    const [editors, answer] = [await box('.graphiql-editors'), await box('.graphiql-response')];
    expect(answer.width).toBe(editors.width);
    expect(answer.y).toBeGreaterThan(editors.y + 200);
    expect(answer.y + answer.height).toBeLessThanOrEqual(900);
  });

  it('shows the result of a button within 60 pixels of it', async () => {
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

  it('has arrows that scroll to the tabs when there is no room for all', async () => {
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
    ['a long title', 'Page through audiences'],
    ['the mark of a subscription', 'Watch a version being published'],
  ])('shows the whole active tab next to the arrows, with %s', async (_what, example) => {
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

  it('scrolls both editors by whole lines to the field of a pressed call', async () => {
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

  it('has dialogs and menus in the font of the page', async () => {
    const { page } = await open();
    const family = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).fontFamily);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.locator('.graphiql-dialog').waitFor();
    await picture(page, 'settings');

    const families = await page
      .locator('.graphiql-dialog button')
      .evaluateAll((buttons) => buttons.map((one) => getComputedStyle(one).fontFamily));
    expect([...new Set(families)]).toEqual([await family('.document-menu button')]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copy as' }).click();
    expect(await family('.graphiql-dropdown-item')).toBe(await family('.document-menu button'));
    await picture(page, 'copy-as');
  });

  it.each([0, 40, 95])(
    'shows “Round trips” at the left end of its first band, if there is room, %i ms after the start of 100 ms',
    async (startMs) => {
      const { page } = await open();
      await page.route('**/graphql', async (route) => {
        if (route.request().headers()['x-explain'] !== 'true') return route.continue();
        const response = await route.fetch();
        const body = await response.json();
        const [call] = body.extensions.upstream.journal;
        const durationMs = 100 - startMs;
        body.extensions.upstream.journal = [{ ...call, startMs, durationMs }];
        return route.fulfill({ response, json: body });
      });

      await play(page);
      await page.locator('button.call').first().waitFor();

      const head = page.locator('.calls-head .bars');
      const [column, word, band] = await Promise.all(
        [head, head.locator('.bars-title'), head.locator('.band')].map((one) => one.boundingBox()),
      );
      const end = column!.x + column!.width;
      const offset = Math.min(band!.x, end - word!.width) - word!.x;
      expect(Math.abs(offset)).toBeLessThan(8);
      expect(word!.x + word!.width).toBeLessThanOrEqual(end + 1);
      await picture(page, `rounds-${startMs}`);
    },
  );

  it('shows that no REST call was made for an invalid query', async () => {
    const { page } = await open();
    await write(page, 'query', '{ nope }');
    await page.locator('.graphiql-execute-button').click();

    await page.getByText('No REST calls: the query is invalid.').waitFor();
  });
});

describe('the panes', () => {
  it('open with one press each while a tooltip is shown', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Show Fields' }).click();
    await page.mouse.move(600, 300);
    await page.getByRole('button', { name: 'Hide Fields' }).hover();
    await page.locator('.graphiql-tooltip').getByText('Hide Fields').first().waitFor();

    await page.getByRole('button', { name: 'Show History' }).click();

    await page.locator('.graphiql-history').waitFor({ timeout: 5_000 });
  });
});
