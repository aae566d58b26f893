/**
 * GraphiQL as a newcomer meets it: a browser, the printed URL, Play.
 *
 * Needs Chromium: the one that `CHROMIUM_PATH` names, or the first of the usual places. The
 * picture is kept in `.data/graphiql.png`, to be looked at.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProduct } from '../server/support.ts';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page of a fresh browser, and what it asked of anybody but us. */
async function openBrowser(home: string): Promise<{ page: Page; strangers: string[] }> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (!executablePath) throw new Error('No Chromium here: install it, or set CHROMIUM_PATH.');
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const strangers: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(home) && !/^(?:data|blob):/.test(url)) strangers.push(url);
  });
  return { page, strangers };
}

describe('GraphiQL', () => {
  it('shows data after pressing Play, and loads nothing from elsewhere', async () => {
    const url = await startProduct().ready();
    const { page, strangers } = await openBrowser(new URL('/', url).href);

    await page.goto(url);
    await page.locator('.graphiql-execute-button').click();
    const answer = page.locator('.result-window');
    await answer.getByText('Northwind launch').first().waitFor();
    await page.waitForTimeout(500);
    mkdirSync('.data', { recursive: true });
    await page.screenshot({ path: '.data/graphiql.png' });

    const text = (await answer.innerText()).replaceAll('\u00a0', ' ');
    expect(await page.title()).toBe('Content Pages · GraphiQL');
    expect(text).toContain('"audiences": {');
    expect(text).not.toContain('"errors"');
    expect(strangers).toEqual([]);
  });
});
