/**
 * docs/own-documents.md as newcomers follow it: an empty folder outside this repository, each line of the page as it
 * stands, today's packages from the registry, and the app in Chromium.
 */
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { clientOf, type Client } from '../support/client.ts';
import { buildGateway } from '../support/gateway-build.ts';
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

/** What a line starts continues until it is stopped. */
const isServer = (line: string): boolean => / npm start |^npm run dev$/.test(line);

/** Where the apps expect a gateway. */
const DOCUMENTED = '127.0.0.1:4000';

// Nothing is taken from this repository's own npm.
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  // What the first app has asked the registry for, the others take from npm's cache.
  npm_config_prefer_offline: 'true',
};

/** What the page needs of a clone in which `npm ci` has run. */
async function makeClone(clone: string): Promise<void> {
  const paths = 'src docs/own-documents schema.graphql LICENSE package.json tsconfig.json'.split(
    ' ',
  );
  for (const path of paths) cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  symlinkSync(dirname(await buildGateway()), join(clone, 'dist'));
}

/** Runs lines one after the other in one shell; fails with all that they wrote. */
async function runLines(folder: string, lines: readonly string[]): Promise<void> {
  const shell = spawn('bash', ['-exc', lines.join('\n')], { cwd: folder, env: ENV });
  let written = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const code = await new Promise((resolve) => shell.once('close', resolve));
  expect(code, written).toBe(0);
}

/** Starts what continues until the test has ended; resolves with the address that it prints. */
function startServer(
  folder: string,
  line: string,
  { says = '', env = {} }: { says?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const shell = spawn('bash', ['-c', line], {
    cwd: folder,
    env: { ...ENV, ...env },
    detached: true,
  });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  onTestFinished(async () => {
    try {
      process.kill(-shell.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await ended;
  });
  const address = new RegExp(`(http://(?:localhost|127\\.0\\.0\\.1):\\d+)${says}`);
  let written = '';
  return new Promise((resolve, reject) => {
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => {
        written += stripVTControlCharacters(chunk.toString());
        const [, url] = address.exec(written) ?? [];
        if (url) resolve(url);
      });
    void ended.then(() => reject(new Error(`${line} ended: ${written}`)));
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

/** What every reader has before a client is chosen: the lines above the first heading were followed here. */
let begun: string;

beforeAll(async () => {
  begun = openFolder();
  await makeClone(join(begun, 'gateway'));
  await runLines(begun, LINES.get('')!);
}, 300_000);

it.each(['Apollo Client', 'urql', 'Relay'])(
  'the commands of the page turn an empty folder into an app that reads, pages, adds and follows a publish: %s',
  async (client) => {
    const folder = openFolder();
    cpSync(begun, folder, { recursive: true, verbatimSymlinks: true });
    const app = join(folder, 'app');
    const own = LINES.get(client)!;

    await runLines(
      app,
      own.filter((line) => !isServer(line)),
    );

    const servers = own.some(isServer) ? own.filter(isServer) : LINES.get('Run the app')!;
    const [gatewayLine, appLine] = servers as [string, string];
    const [origin, built] = await Promise.all([
      startServer(app, appLine),
      startServer(app, 'npx vite preview'),
    ]);
    const gateway = await startServer(app, withOrigins(gatewayLine, [origin, built]), {
      says: '/graphql',
      env: { PORT: '0', BACKEND_DATABASE_URL: ':memory:' },
    });
    const browser = await launch(
      `--host-resolver-rules=MAP ${DOCUMENTED} ${new URL(gateway).host}`,
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

    if (client === 'Relay') await expectProgress(page, clientOf(gateway, 'demo'));
    else await expectPublished(page);

    await page.goto(built);
    await page.getByRole('heading', { name: 'Northwind launch' }).waitFor();
    await shows(page, 5);
    await readTo(page, 17);
    expect((await entriesOf(page)).sort()).toEqual(all.sort());
    expect(faults).toEqual([]);
  },
  300_000,
);

/** The built app has another origin than the one in development, which another port may have to be looked for. */
function withOrigins(line: string, origins: readonly string[]): string {
  expect(line).toContain('CORS_ORIGINS=http://localhost:5173 ');
  return line.replace('http://localhost:5173', origins.join());
}

/** The app publishes, and its subscription shows how that ends. */
async function expectPublished(page: Page): Promise<void> {
  await page.getByRole('heading', { name: /: draft$/ }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: /: published$/ }).waitFor();
}

/** Somebody else publishes, and the row shows it. */
async function expectProgress(page: Page, gateway: Client): Promise<void> {
  const row = (status: string) => page.locator('ul li:nth-child(4)', { hasText: `(${status})` });
  await row('draft').waitFor();
  const { data, errors } = await gateway.ask(
    '{ page(pageId: "page_northwind") { audiences(first: 4) { nodes { latestVersion { id } } } } }',
  );
  expect(errors).toEqual([]);
  const { id } = data.page.audiences.nodes[3].latestVersion;
  await gateway.ask(
    'mutation ($id: ID!) { publishAudienceVersion(input: { id: $id }) { userErrors { message } } }',
    { variables: { id } },
  );
  await row('published').waitFor();
}
