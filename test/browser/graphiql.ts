/**
 * GraphiQL as its users open it: in a browser, at the printed URL.
 *
 * Pictures are kept in `.data/graphiql/`.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { visit, type Visit } from './browser.ts';
import { launch } from './chromium.ts';

export interface Graphiql {
  readonly gateway: GatewayProcess;
  /** The page, opened by a new visitor. */
  open(options?: VisitOptions): Promise<Visit>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Default: the page of the file's gateway. */
  readonly url?: string;
}

/** Runs a gateway and a browser for the tests of the calling file. */
export function useGraphiql(): Graphiql {
  let gateway: GatewayProcess;
  let browser: Browser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startGateway({}), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
  });
  return {
    get gateway() {
      return gateway;
    },
    open: async ({ url = `${gateway.url}/graphql`, ...options } = {}) => {
      const visitor = await visit(browser, options);
      await visitor.page.goto(url);
      await isUsable(visitor.page);
      return visitor;
    },
  };
}

export const isUsable = (page: Page) => page.locator('.graphiql-execute-button').waitFor();

export const hasSchema = (page: Page) =>
  page.getByRole('button', { name: 'Schema', exact: true, disabled: false }).waitFor();

export const rowsOf = async (page: Page) =>
  page.locator('button.call').evaluateAll((rows) =>
    rows.map((row) => ({
      call: row.querySelector('.call-route')?.textContent,
      field: row.querySelector('.call-field')?.textContent,
      status: Number.parseInt(row.querySelector('.call-status')?.textContent ?? '', 10),
    })),
  );

export const statusLineOf = (page: Page) => page.locator('.status-line').innerText();
