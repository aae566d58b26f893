/**
 * Steps of tests with GraphiQL in a browser.
 */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Folder of pictures for people to look at, which Git ignores. */
const PICTURES = '.data/graphiql';

export interface Visit {
  readonly page: Page;
  /** Requested URLs of hosts other than the gateway's. */
  readonly strangers: readonly string[];
  /** Error messages in the console, and uncaught errors of the page. */
  readonly faults: readonly string[];
  /** All messages in the console. */
  readonly lines: readonly string[];
}

/** A page of a new visitor. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  return { page, ...watch(page) };
}

/** Records requests and messages of a page from now on. */
function watch(page: Page): Omit<Visit, 'page'> {
  const strangers: string[] = [];
  const faults: string[] = [];
  const lines: string[] = [];
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (!/^(?:data|blob):$/.test(protocol) && hostname !== '127.0.0.1')
      strangers.push(request.url());
  });
  page.on('console', (message) => {
    lines.push(message.text());
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  return { strangers, faults, lines };
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

/** A REST call of the call log. */
export interface JournalCall {
  readonly method: string;
  readonly route: string;
  readonly path: readonly (string | number)[];
  readonly status: number;
}

/** Presses Play, and returns the body of the response. */
export async function play(page: Page): Promise<any> {
  const answered = page.waitForResponse(
    (response) => response.request().headers()['x-explain'] === 'true',
  );
  await page.locator('.graphiql-execute-button').click();
  const response = await answered;
  return response.json();
}

/** Waits until the page's tab has stored a string under a name, for its next load. */
export async function untilStored(
  page: Page,
  name: 'graphiql:tabState',
  text: string,
): Promise<void> {
  await page.waitForFunction(([name, text]) => sessionStorage.getItem(name)?.includes(text), [
    name,
    text,
  ] as const);
}

const EDITORS = {
  query: '.graphiql-query-editor',
  variables: '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
  headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
  answer: '.result-window',
} as const;

/** The text of an editor, as far as its lines are in view. */
export async function textOf(page: Page, editor: keyof typeof EDITORS): Promise<string> {
  const text = await page.locator(`${EDITORS[editor]} .view-lines`).first().innerText();
  return text.replaceAll('\u00a0', ' ');
}

/** Replaces the text of an editor. */
export async function write(
  page: Page,
  editor: 'query' | 'variables' | 'headers',
  text: string,
): Promise<void> {
  if (editor === 'headers') await page.locator('[data-name=headers]').click();
  await page.locator(`${EDITORS[editor]} .view-lines`).first().click();
  await page.keyboard.press('Control+A');
  // With a selection, the first bracket would be closed behind it.
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
  // Suggestions appear a moment later, and may cover Play.
  await page.waitForTimeout(200);
  await page.keyboard.press('Escape');
  await page.locator('.suggest-widget.visible').waitFor({ state: 'detached' });
}

/** Opens the pane of examples if need be, and one of them. */
export async function openExample(page: Page, title: string): Promise<void> {
  const example = page
    .getByRole('button', { name: title, exact: true })
    .and(page.locator(':not(.graphiql-tab-button)'));
  if (!(await example.isVisible()))
    await page.getByRole('button', { name: /Examples and saved/ }).click();
  const tabs = page.locator('.graphiql-tab');
  const before = await tabs.count();
  await example.click();
  await tabs.nth(before).waitFor();
}

/** Waits until the cost next to the query matches. */
export async function expectCost(page: Page, text: RegExp): Promise<void> {
  await expect
    .poll(() => page.getByLabel('Cost of this document').innerText(), { timeout: 10_000 })
    .toMatch(text);
}
