/** `npm run usage`, and `npm run impact` with usage counts. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { buildScript } from '../support/gateway-build.ts';
import { startGateway } from '../support/gateway-process.ts';
import { ROOT } from '../support/pages.ts';
import { openGateway } from '../support/open-gateway.ts';

const run = promisify(execFile);

async function printed(script: 'print-usage' | 'print-impact', ...args: string[]) {
  const { stdout } = await run(process.execPath, [await buildScript(script), ...args], {
    cwd: ROOT,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

it('npm run usage prints executions by field and app: of all fields, of one type or of one field', async () => {
  const port = await freePort();
  const site = await startGateway({ ADMIN_PORT: String(port) });
  const admin = `http://127.0.0.1:${port}`;
  await site.ask('{ topics(first: 1) { nodes { title } } }');
  await site.ask('{ topics { totalCount } }');

  const [[head] = [], ...all] = await printed('print-usage', admin);
  const [, , ...connection] = await printed('print-usage', admin, 'TopicConnection');
  const [, , ...topics] = await printed('print-usage', admin, 'Query.topics');
  const [[nothing] = []] = await printed('print-usage', `${admin}/usage`, 'Page.name');

  expect(head).toMatch(/^Executions since \d{4}-/);
  expect(all).toHaveLength(6);
  expect(all[0]).toEqual(['asked for', 'app', 'version', 'operation', 'executions']);
  expect(connection).toEqual([
    ['TopicConnection.nodes', 'other', 'other', 'other', '1'],
    ['TopicConnection.totalCount', 'other', 'other', 'other', '1'],
  ]);
  expect(topics).toEqual([
    ['Query.topics', 'other', 'other', 'other', '2'],
    ['Query.topics(first:)', 'other', 'other', 'other', '1'],
  ]);
  expect(nothing).toMatch(/^Nobody has asked for Page\.name since /);
  for (const mistake of ['Topi', 'Topic.titel', 'Topc.title', 'Topic.']) {
    await expect(printed('print-usage', admin, mistake)).rejects.toThrow(
      `The schema has no ${mistake}: name a type`,
    );
  }
});

it('npm run usage says what to name when a source has no usage counts', async () => {
  const site = await openGateway();
  const file = join(ROOT, 'README.md');

  await expect(printed('print-usage')).rejects.toThrow(/Name a gateway by its ADMIN_PORT/);
  await expect(printed('print-usage', site.url)).rejects.toThrow(
    /answers 404: name the ADMIN_PORT/,
  );
  await expect(printed('print-usage', file)).rejects.toThrow(/has no usage counts/);
  await expect(printed('print-usage', 'localhost:4001')).rejects.toThrow(
    /localhost:4001 has no usage counts: name a gateway by its ADMIN_PORT, as http:/,
  );
});

it('npm run impact prints executions beside what each document would lose', async () => {
  const text = 'query Two($id: ID!) { page(pageId: $id) { title } person(personId: $id) { name } }';
  const folder = openFolder({ 'ios-4.2.json': { two: text }, 'web-1.json': { two: text } });
  const row = {
    document: createHash('sha256').update(text).digest('hex'),
    operation: 'Two',
    uses: {},
  };
  const documents = [
    { app: 'ios', version: '4.2', ...row, executions: 12 },
    { app: 'other', version: 'other', ...row, executions: 3 },
  ];
  const kept = join(folder, 'kept.usage');
  await writeFile(kept, JSON.stringify({ since: '2026-01-01T00:00:00.000Z', documents }));

  const [, ...table] = await printed('print-impact', 'Person.name', `--usage=${kept}`, folder);

  expect(table).toEqual([
    ['app', 'version', 'document', 'loses', 'as', 'executions'],
    ['ios', '4.2', 'Two', 'person', 'null, and an error', '12 + 3'],
    ['web', '1', 'Two', 'person', 'null, and an error', '0 + 3'],
  ]);
});
