/**
 * A frontend's run on a recording, as docs/testing.md shows it: real browsers, each with its own API key, and no backend.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Browser } from 'playwright-core';
import { openFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startGateway } from '../support/gateway-process.ts';
import { readPages, ROOT } from '../support/pages.ts';
import { chromiumOptions, launch } from './chromium.ts';
import { picture } from './browser.ts';

const READ = '{ topic(topicId: "topic_01") { id title } }';
const RENAME =
  'mutation ($id: ID!) { updateTopic(input: { id: $id, title: "Renamed" }) { topic { title } } }';

/** An app on a page of the gateway: reads, writes, and reads again. */
async function visitApp(browser: Browser, url: string, key: string) {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-api-key': key } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // Any page of that origin would do; this one is small.
  await page.goto(`${url}/health`);
  const answers = await page.evaluate(
    async ([read, rename]) => {
      const ask = async (query: string | undefined, variables: object): Promise<string> => {
        const response = await fetch('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
        });
        return response.text();
      };
      const before = await ask(read, {});
      const { id } = JSON.parse(before).data.topic as { id: string };
      return [before, await ask(rename, { id }), await ask(read, {})];
    },
    [READ, RENAME],
  );
  return { page, answers };
}

it('a recording is replayed from its beginning for each of three concurrent keys, and GraphiQL names it', async () => {
  const folder = openFolder();
  const browser = await launch();
  onTestFinished(() => browser.close());
  const recording = await startGateway({ RECORD: folder, SCENARIO: 'rename' });
  const recorded = await visitApp(browser, recording.url, 'demo');
  await recording.stop();

  const replay = await startGateway({ REPLAY: folder, REPLAY_SPEED: '1000' });
  const visits = await Promise.all(
    ['rename.1', 'rename.2', 'rename.3'].map((key) => visitApp(browser, replay.url, key)),
  );

  for (const { answers } of visits) expect(answers).toEqual(recorded.answers);
  const [{ page }] = visits as [(typeof visits)[0]];
  await page.goto(`${replay.url}/graphql`);
  await page.getByText('Replaying the recording rename. No backend is called.').waitFor();
  await picture(page, 'replay');
  await replay.stop();
});

/** The test that a frontend's repository adds to the file of docs/testing.md. */
const specOf = (url: string): string => `
import { expect } from '@playwright/test';
test.use({ launchOptions: ${JSON.stringify(chromiumOptions())} });
test('reads what was recorded', async ({ page }) => {
  await page.goto('${url}/health');
  const answer = await page.evaluate(async (query) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    return response.json();
  }, ${JSON.stringify(READ)});
  expect(answer.data.topic.title).toBe('Pricing at a glance');
});
`;

it('the Playwright configuration of docs/testing.md runs a replay from its own folder and from another', async () => {
  const folder = openFolder();
  const app = join(folder, 'app');
  const url = `http://127.0.0.1:${await freePort()}`;
  for (const path of ['tests', 'journeys']) mkdirSync(join(app, path), { recursive: true });
  symlinkSync(ROOT, join(folder, 'gateway'));
  symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  const page = readPages().find(({ file }) => file === 'docs/testing.md')!;
  for (const { info, text } of page.blocks) {
    const [, path] = /^playwright (.+)$/.exec(info) ?? [];
    if (path === undefined) continue;
    const more = path.startsWith('tests/') ? specOf(url) : '';
    writeFileSync(join(app, path), text.replace('http://127.0.0.1:4000', url) + more);
  }
  const recording = await startGateway({ RECORD: join(app, 'journeys'), SCENARIO: 'publish' });
  await recording.ask(READ, { apiKey: 'demo' });
  await recording.stop();

  const cli = join(ROOT, 'node_modules/@playwright/test/cli.js');
  for (const cwd of [app, tmpdir()]) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'test', '--config', join(app, 'playwright.config.ts')],
      { cwd, env: { ...process.env, PORT: new URL(url).port } },
    );
    expect(stdout).toContain('1 passed');
  }
});
