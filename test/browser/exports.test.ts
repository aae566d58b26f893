/** Exports and headers of GraphiQL: files, links and commands, all without the key. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/gateway/documents/manifest.ts';
import { expectCost, picture, play, textOf, untilStored, write } from './browser.ts';
import { isUsable, useGraphiql } from './graphiql.ts';
import { harFaults } from './har.ts';

const { open } = useGraphiql();

describe('GraphiQL', () => {
  it('saves a valid HAR with an entry for each call and without the key', async () => {
    const { page } = await open();
    const { extensions } = await play(page);
    await page.locator('button.call').first().waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const har = JSON.parse(text);

    expect(harFaults(har)).toEqual([]);
    expect(har.log.entries).toHaveLength(1 + extensions.upstream.journal.length);
    expect(harFaults({ log: { ...har.log, entries: [{}] } })).not.toEqual([]);
    expect(text).not.toContain('demo');
  });

  it('copies a link and a curl command that work and contain no key or header value, and saves the schema', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (what: string) => {
      await page.getByText(`${what} copied.`).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await write(page, 'query', 'query Shared { topics { totalCount } }');
    await expectCost(page, /\d calls?/);
    await play(page);
    await page.locator('button.call').first().waitFor();

    await write(page, 'headers', '{ "x-team": "a secret" }');
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    const curl = await copied('curl');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const link = await copied('Link');
    const other = await page.context().newPage();
    await other.goto(link);
    await isUsable(other);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Schema', exact: true }).click(),
    ]);

    await expect.poll(() => textOf(other, 'query')).toContain('query Shared');
    expect(new URL(other.url()).hash).toBe('');
    expect(curl).toMatch(/^curl -sN 'http:\/\/127.0.0.1:\d+\/graphql' .*"x-api-key: \$API_KEY"/s);
    expect(curl).toContain('-H "x-team: $X_TEAM"');
    expect(curl).not.toContain('x-explain');
    expect(curl + link + atob(decodeURIComponent(link.split('=')[1]!))).not.toMatch(/demo|secret/);
    const { stdout } = await promisify(execFile)('sh', ['-c', curl], {
      env: { ...process.env, API_KEY: 'demo', X_TEAM: 'a' },
    });
    expect(JSON.parse(stdout).data.topics.totalCount).toBeGreaterThan(0);
    expect(readFileSync(await download.path(), 'utf8')).toContain('type PageLink ');
  });

  it('exports a trusted document with its cost, as a manifest that the gateway reads', async () => {
    const { page } = await open();
    const query = 'query Trusted($first: Int!) { topics(first: $first) { totalCount } }';
    await write(page, 'query', query);
    await write(page, 'variables', '{ "first": 3 }');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const json = readFileSync(await download.path(), 'utf8');

    const [[id, body] = []] = readManifest(json);
    const [operation] = JSON.parse(json).operations;
    expect(body).toBe(query);
    expect(operation).toMatchObject({
      id: `sha256:${id}`,
      name: 'Trusted',
      type: 'query',
      price: { calls: { least: 1, most: 1 }, rounds: 1 },
    });
  });

  it('keeps the key in session storage, not in local storage, the history state or the address', async () => {
    const { page } = await open();
    await page.getByLabel('API key').fill('my-secret-key');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(1_000);

    const stored = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      location.href,
    ]);

    const state = await page.evaluate(() => JSON.stringify(window.history.state));
    expect(stored.map((text) => text.includes('my-secret-key'))).toEqual([false, true, false]);
    expect(state).not.toContain('my-secret-key');
  });
});

describe('a browser that stores nothing', () => {
  it('executes and saves documents until the page is closed, when its storage is blocked', async () => {
    const { page, faults } = await open();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        const get = () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        };
        Object.defineProperty(window, name, { get });
      }
    });
    await page.reload();
    await isUsable(page);

    const { data } = await play(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as PageWithAudiences until this page is closed').waitFor();
    await page.getByRole('button', { name: /Examples and saved/ }).click();

    await page.getByRole('button', { name: 'Delete PageWithAudiences' }).waitFor();
    expect(data.page.name).toBe('Northwind launch');
    await picture(page, 'storage-blocked');
    expect(faults).toEqual([]);
  });

  it('reports that its storage is full, and keeps a document in the page', async () => {
    const { page, faults } = await open();
    await page.evaluate(() => {
      for (const storage of [localStorage, sessionStorage]) {
        for (let size = 1 << 22, count = 0; size > 0;) {
          try {
            storage.setItem(`full-${count++}`, 'x'.repeat(size));
          } catch {
            size >>= 1;
          }
        }
      }
    });

    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as PageWithAudiences until this page is closed').waitFor();
    await page.getByLabel('API key').fill('demo-two');
    await page.keyboard.press('Enter');
    await play(page);
    await page.getByRole('button', { name: /Examples and saved/ }).click();

    await page.getByRole('button', { name: 'Delete PageWithAudiences' }).waitFor();
    expect(faults).toEqual([]);
  });
});

it('Save asks before it replaces another document of the same name', async () => {
  const { page } = await open();
  const saveAs = async (query: string, answer: 'accept' | 'dismiss') => {
    await write(page, 'query', query);
    const asked: string[] = [];
    page.once('dialog', async (dialog) => {
      asked.push(dialog.message());
      await dialog[answer]();
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    page.removeAllListeners('dialog');
    return asked;
  };
  const saved = () => page.evaluate(() => localStorage['content-pages:saved-documents']);

  expect(await saveAs('query Mine { a }', 'accept')).toEqual([]);
  expect(await saveAs('query Mine { b }', 'dismiss')).toEqual([
    'Replace the saved document "Mine"?',
  ]);
  await page.getByText('Not saved. Rename the operation to keep both documents.').waitFor();
  expect(await saved()).toContain('{ a }');
  expect(await saveAs('query Mine { b }', 'accept')).toHaveLength(1);
  await page.getByText('Saved as Mine.').waitFor();
  expect(await saved()).toContain('{ b }');
  expect(await saveAs('query Mine { b }', 'accept')).toEqual([]);
});

describe('headers', () => {
  it('are sent, and are in local storage only as an environment, not in the address or a HAR', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "x-team": "secret-of-ours" }');
    await page.getByRole('button', { name: 'Show Environments' }).click();
    await page.getByLabel('Save the headers of this tab as').fill('Staging');
    await page.locator('.save-environment button').click();
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.headers()['x-explain'] === 'true') sent.push(request.headers()['x-team']);
    });
    await play(page);
    await page.reload();
    await isUsable(page);
    await play(page);
    await picture(page, 'environments');

    expect(sent).toEqual(['secret-of-ours', 'secret-of-ours']);
    const holders = await page.evaluate(() =>
      Object.keys(localStorage).filter((name) => localStorage[name].includes('secret-of-ours')),
    );
    expect(holders).toEqual(['content-pages:environments']);
    expect(page.url()).not.toContain('secret');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).not.toContain('secret');
    await page.getByRole('button', { name: 'Delete Staging' }).click();
    expect(await page.evaluate(() => localStorage['content-pages:environments'])).toBe('[]');
  });

  it('of the environment in use apply to new tabs too, and reloads open no other tab', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "x-team": "blue" }');
    await page.getByRole('button', { name: /Environments/ }).click();
    await page.getByLabel('Save the headers of this tab as').fill('staging');
    await page.locator('.save-environment button').click();

    await page.getByRole('button', { name: 'New tab' }).click();

    await expect.poll(() => textOf(page, 'headers')).toContain('"x-team": "blue"');
    await untilStored(page, 'graphiql:tabState', '"activeTabIndex":1');
    await page.reload();
    await isUsable(page);
    expect(await page.locator('.graphiql-tab').count()).toBe(2);
  });

  it('are kept with their tab across a reload, except credentials, which the page reports', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "x-team": "blue", "Authorization": "Bearer secret" }');
    await page.getByRole('button', { name: 'New tab' }).click();
    await untilStored(page, 'graphiql:tabState', 'blue');

    await page.reload();
    await isUsable(page);
    const stored = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
    ]);
    await page.locator('.graphiql-tab-button').first().click();
    await page.getByText('Enter Authorization again').waitFor();
    await page.locator('[data-name=headers]').click();

    await expect.poll(() => textOf(page, 'headers')).toMatch(/^\{ "x-team": "blue" *\}$/);
    expect(stored.map((text) => text.includes('blue'))).toEqual([false, true]);
    expect(stored.filter((text) => text.includes('secret'))).toEqual([]);
  });

  it('with an invalid name are rejected with a message', async () => {
    const { page } = await open();
    await write(page, 'headers', '{ "not a name": "x" }');

    await page.locator('.graphiql-execute-button').click();

    await expect.poll(() => textOf(page, 'answer')).toContain('Not sent. Headers:');
  });
});
