/** `npm run plan`: what a document will cost, as a table. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { buildScript } from '../support/gateway-build.ts';
import { IDS } from '../support/ids.ts';
import { ROOT } from '../support/pages.ts';

const print = async (...args: readonly string[]) =>
  spawnSync(process.execPath, [await buildScript('print-plan'), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });

it('prints the routes, calls and values of a document as a table', async () => {
  const { stdout, status } = await print(
    'src/client/documents/page-with-audiences.graphql',
    'src/client/documents/fragments.graphql',
    JSON.stringify({ pageId: IDS.page, first: 5 }),
  );

  expect(status).toBe(0);
  expect(stdout).toMatch(/^route +at least +at most +because of\n/);
  expect(stdout).toMatch(/^GET \/v0\/pages\/\{page_id\}\/audiences +1 +1 +page\.audiences$/m);
  expect(stdout).toMatch(/^all +2 +12 +2 rounds$/m);
  expect(stdout).toMatch(/^values +1 +188 +page\.audiences\.versions$/m);
});

it('rejects an argument that is neither a file, variables nor a mode', async () => {
  const { stderr, status } = await print('src/client/documents/search-pages.graphql', 'documents');

  expect(status).toBe(1);
  expect(stderr).toMatch(/"documents".*"document".*\n$/);
});

it('marks a route as missing for a backend with only the routes of the API spec', async () => {
  const { stdout } = await print(
    'document',
    'src/client/documents/search-pages.graphql',
    '{"query":"x"}',
  );

  expect(stdout).toMatch(/^GET \/v0\/pages\/search +missing /m);
});
