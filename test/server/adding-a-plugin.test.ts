/** The worked example of docs/plugins.md, run as an operator runs it. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { loadPlugins, PluginsError } from '../../src/process/operator-plugins.ts';
import { ROOT } from '../support/pages.ts';
import { openHttp } from '../support/listen.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openTrusting } from '../support/trusting.ts';

/** What is read of a report. Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports */
interface Report {
  readonly map: Readonly<
    Record<string, { readonly operation: string; operationName?: string; fields: string[] }>
  >;
  readonly operations: readonly { readonly operationMapKey: string }[];
}

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

it('reports to GraphQL Hive what apps use, without a literal, a variable or a key, once more as the process ends', async () => {
  const sent: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const hive = await openHttp((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/usage') sent.push({ headers: request.headers, body });
      response.end('{}');
    });
  });
  vi.stubEnv('HIVE_TOKEN', 'token-of-a-target');
  vi.stubEnv('HIVE_USAGE_URL', `${hive}/usage`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const plugins = await loadPlugins(join(folder, 'hive.mjs'), {});
  const manifests = {
    'ios-4.2.json': { topics: 'query Topics { topics(first: 3) { nodes { title } } }' },
  };
  const site = await openTrusting(manifests, { plugins });

  expect((await site.byId('topics')).status).toBe(200);
  await site.ask(
    'query Mine($id: ID!) { page(pageId: $id) { name } topic(topicId: "secret-1") { title } }',
    {
      variables: { id: 'secret-2' },
    },
  );
  await site.close();

  expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-of-a-target']);
  const report = JSON.parse(sent[0]!.body) as Report;
  const lineOf = (name: string) =>
    report.operations.find((line) => report.map[line.operationMapKey]!.operationName === name)!;
  expect(report.map[lineOf('Topics').operationMapKey]!.fields).toContain('Topic.title');
  expect(lineOf('Topics')).toMatchObject({
    metadata: { client: { name: 'ios', version: '4.2' } },
    execution: { ok: true, errorsTotal: 0 },
  });
  expect(report.map[lineOf('Mine').operationMapKey]!.operation).toContain('query Mine');
  expect(sent[0]!.body).not.toMatch(/secret|demo/);
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
