/** Accessibility of GraphiQL: axe, a phone and a keyboard. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectCost, openExample, picture, play, textOf } from './browser.ts';
import { hasSchema, useGraphiql } from './graphiql.ts';

const { open } = useGraphiql();

describe('accessibility', () => {
  const seriousFaults = async (page: Page) => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  };

  it.each(['light', 'dark'] as const)(
    'axe finds no serious violation in the %s scheme, and enough contrast in each pane and dialog',
    async (colorScheme) => {
      const { page } = await open({ colorScheme });
      await hasSchema(page);
      await page.getByRole('button', { name: /Examples and saved/ }).click();
      await play(page);
      await page.locator('button.call').first().waitFor();
      await expectCost(page, /\d calls?/);
      await picture(page, colorScheme);
      expect(await seriousFaults(page)).toEqual([]);

      const found: string[] = [];
      const look = async (where: string) => {
        // Colours are read after the fade-in.
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

  it('axe finds no serious violation in a response with errors and an explained cost', async () => {
    const { page } = await open();
    await openExample(page, 'Partial errors');
    await play(page);
    await page.locator('.status-line .failed').waitFor();
    await page.locator('.cost button').click();

    expect(await seriousFaults(page)).toEqual([]);
  });

  it('the page fits a phone 390 pixels wide, without a serious violation', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    /** Empty space below the explorer, in pixels. */
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

  it('key, menu, editor, Play and calls can be reached by the keyboard alone', async () => {
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
