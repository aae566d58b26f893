/**
 * docs/own-documents.md as newcomers follow it: an empty folder outside this repository, each line of the page as it
 * stands, today's packages from the registry, and the app in Chromium.
 */
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts';
import { ROOT } from '../support/pages.ts';
import { launch } from './chromium.ts';

/** The lines of the page's blocks, below each heading of the second level, and '' for those above the first. */
const LINES = new Map(
  readFileSync(join(ROOT, 'docs/own-documents.md'), 'utf8')
    .split(/^## /m)
    .map((section, i) => {
      const blocks = [...section.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, text]) => text!);
      return [i === 0 ? '' : section.split('\n', 1)[0]!, blocks.join('\n').split('\n')] as const;
    }),
);

/** What a line starts goes on until it is stopped. */
const isServer = (line: string): boolean => / npm start |^npm run dev$/.test(line);

/** Where the apps expect a gateway. */
const DOCUMENTED = '127.0.0.1:4000';

// Questions of `npm create` are answered as at a terminal, and nothing is taken from this repository's own npm.
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  npm_config_yes: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

let clone: string;
beforeAll(() => {
  clone = openFolder();
  for (const path of [
    'src',
    'docs/own-documents',
    'schema.graphql',
    'LICENSE',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
});

/** Runs lines one after the other in one shell; fails with all that they wrote. */
async function runLines(folder: string, lines: readonly string[]): Promise<void> {
  const shell = spawn('bash', ['-exc', lines.join('\n')], { cwd: folder, env: ENV });
  let written = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const code = await new Promise((resolve) => shell.once('close', resolve));
  expect(code, written).toBe(0);
}

/** Starts what goes on until the test has ended; its address, once it says so. */
function startServer(folder: string, line: string): Promise<string> {
  const shell = spawn('bash', ['-c', line], { cwd: folder, env: ENV, detached: true });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  onTestFinished(async () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await ended;
  });
  let written = '';
  return new Promise((resolve, reject) => {
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => {
        written += stripVTControlCharacters(chunk.toString());
        const [url] = /http:\/\/localhost:\d+/.exec(written) ?? [];
        if (url) resolve(url);
      });
    void ended.then(() => reject(new Error(`${line} ended: ${written}`)));
  });
}

/** The gateway that a line starts, for pages of these origins, on a free port. */
function startLine(
  folder: string,
  line: string,
  origins: readonly string[],
): Promise<GatewayProcess> {
  const settings = Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
  const { CORS_ORIGINS, TRUSTED_DOCUMENTS } = settings;
  expect(origins.map((origin) => new URL(origin).hostname)).toContain(
    new URL(CORS_ORIGINS!).hostname,
  );
  return startGateway({
    CORS_ORIGINS: origins.join(),
    ...(TRUSTED_DOCUMENTS && { TRUSTED_DOCUMENTS: join(folder, 'gateway', TRUSTED_DOCUMENTS) }),
  });
}

/** What the list of entries shows. */
const entriesOf = (page: Page): Promise<string[]> => page.locator('ol li').allInnerTexts();

const shows = (page: Page, rows: number) =>
  page.waitForFunction((rows) => document.querySelectorAll('ol li').length === rows, rows);

/** Reads until the list shows so many rows. */
async function readTo(page: Page, rows: number): Promise<void> {
  for (let shown = 5; shown < rows;) {
    await page.getByRole('button', { name: 'More entries' }).click();
    shown = Math.min(shown + 5, rows);
    await shows(page, shown);
  }
}

it.each(['Apollo Client', 'urql', 'Relay'])(
  'an empty folder and the lines of the page give an app that reads, pages and adds: %s',
  async (client) => {
    const folder = openFolder();
    symlinkSync(clone, join(folder, 'gateway'));
    const own = LINES.get(client)!;

    await runLines(folder, [...LINES.get('')!, ...own.filter((line) => !isServer(line))]);

    const servers = own.some(isServer) ? own.filter(isServer) : LINES.get('Starting both')!;
    const [gatewayLine, appLine] = servers as [string, string];
    const app = join(folder, 'app');
    const origin = await startServer(app, appLine);
    const built = await startServer(app, 'npx vite preview');
    const gateway = await startLine(folder, gatewayLine, [origin, built]);
    const browser = await launch(
      `--host-resolver-rules=MAP ${DOCUMENTED} 127.0.0.1:${gateway.port}`,
    );
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });

    await page.goto(origin);
    await page.getByRole('heading', { name: 'Northwind launch' }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.locator('ul li').nth(9).waitFor();
    await shows(page, 5);
    await readTo(page, 15);
    const before = await entriesOf(page);
    await page.getByLabel('New entry').fill('Said by a newcomer');
    await page.getByRole('button', { name: 'Add' }).click();
    await shows(page, 16);
    expect(await entriesOf(page)).toEqual([...before, 'Said by a newcomer']);
    await page.getByRole('button', { name: 'More entries' }).click();
    await shows(page, 17);
    const all = await entriesOf(page);

    if (client === 'Relay') await expectProgress(page, gateway);

    await page.goto(built);
    await page.getByRole('heading', { name: 'Northwind launch' }).waitFor();
    await shows(page, 5);
    await readTo(page, 17);
    expect((await entriesOf(page)).sort()).toEqual(all.sort());
    expect(faults).toEqual([]);
    await gateway.stop();
    rmSync(folder, { recursive: true });
  },
  300_000,
);

/** Somebody else publishes, and the row says so. */
async function expectProgress(page: Page, gateway: GatewayProcess): Promise<void> {
  const row = (status: string) => page.locator('ul li:nth-child(4)', { hasText: `(${status})` });
  await row('draft').waitFor();
  const { data, errors } = await gateway.ask(
    '{ page(pageId: "page_northwind") { audiences(first: 4) { nodes { latestVersion { id } } } } }',
    { apiKey: 'demo' },
  );
  expect(errors).toEqual([]);
  const { id } = data.page.audiences.nodes[3].latestVersion;
  await gateway.ask(
    'mutation ($id: ID!) { publishAudienceVersion(input: { id: $id }) { userErrors { message } } }',
    { variables: { id }, apiKey: 'demo' },
  );
  await row('published').waitFor();
}
