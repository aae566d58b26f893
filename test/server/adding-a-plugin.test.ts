/** The worked example of docs/plugins.md, run as an operator runs it. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { loadPlugins, PluginsError } from '../../src/process/operator-plugins.ts';
import { ROOT } from '../support/pages.ts';
import { openGateway } from '../support/open-gateway.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'adding-a-plugin-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(ROOT, 'docs/plugins'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('answers sixty operations of a key, refuses the next with 429, and lets other keys pass', async () => {
  // All in one minute, whenever it is run.
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => now.mockRestore());
  const plugins = await loadPlugins(join(folder, 'quota.mjs'), {});
  const site = await openGateway({ plugins });

  for (let i = 0; i < 60; i++) expect((await site.ask('{ __typename }')).status).toBe(200);
  const refused = await site.ask('{ __typename }');
  const other = await site.ask('{ __typename }', { apiKey: 'another' });

  expect([refused.status, refused.codes]).toEqual([429, ['QUOTA_EXCEEDED']]);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(other.status).toBe(200);
});

it.each([
  ['throws', 'throw new Error("no such thing");', /cannot be loaded: no such thing/],
  ['exports nothing', '', /must be a list of plugins/],
  ['exports something else', 'export default 7;', /must be a list of plugins/],
])('refuses a module that %s, in one line', async (_what, source, message) => {
  const path = join(folder, `bad-${Math.random()}.mjs`);
  writeFileSync(path, source);
  onTestFinished(() => rmSync(path));

  const loading = loadPlugins(path, {});

  await expect(loading).rejects.toThrow(PluginsError);
  await expect(loading).rejects.toThrow(message);
});

it('calls a function with the configuration', async () => {
  const path = join(folder, 'function.mjs');
  writeFileSync(path, 'export default ({ port }) => [{ port }];');

  expect(await loadPlugins(path, { port: 7 })).toEqual([{ port: 7 }]);
});
