/** The example of docs/another-api/: another contract, graph and backend under the same engine. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { afterFile } from './support/after-file.ts';
import { clientOf, type Client } from './support/client.ts';
import { ROOT } from './support/pages.ts';

/** Files of the contract that are conventions, which the example keeps. */
const KEPT = ['api-key.ts', 'error.ts', 'list.ts', 'route.ts', 'schemas'];
const KEPT_SCHEMAS = ['body.ts', 'primitive.ts'];

const EXAMPLE = join(ROOT, 'docs/another-api');

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'another-api-'));
  for (const file of ['src', 'package.json', 'tsconfig.json', 'codegen.ts']) {
    cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const empty = (folder: string, kept: readonly string[]) => {
    for (const name of readdirSync(join(copy, folder))) {
      if (!kept.includes(name)) rmSync(join(copy, folder, name), { recursive: true });
    }
  };
  empty('src/v0', KEPT);
  empty('src/v0/schemas', KEPT_SCHEMAS);
  empty('src/resources', []);
  empty('src/backend', []);
  cpSync(EXAMPLE, copy, { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' };

describe('another API', { timeout: 180_000 }, () => {
  it('consists of three folders of src/', () => {
    expect(readdirSync(EXAMPLE)).toEqual(['src']);
    expect(readdirSync(join(EXAMPLE, 'src')).sort()).toEqual(['backend', 'resources', 'v0']);
  });

  it('compiles with the rest of src/', async () => {
    const args = [join(copy, 'node_modules/typescript/bin/tsc'), '--noEmit'];
    const output = await promisify(execFile)(process.execPath, args, { cwd: copy, env }).then(
      () => 'passed',
      ({ stdout }: { stdout: string }) => stdout,
    );

    expect(output).toBe('passed');
  });

  it('has prefetching, global ids, connections, the plan and a subgraph', async () => {
    const { ask } = await start();

    const { data, errors, extensions } = await ask(
      '{ issue(issueId: "issue_2") { id title comments(first: 5) { totalCount nodes { text } } } }',
      { headers: { 'x-explain': 'true' } },
    );
    const again = await ask(`{ node(id: "${data.issue.id}") { ... on Issue { title } } }`);
    const listed = await ask('{ issues { nodes { issueId comments { totalCount } } } }', {
      headers: { 'x-explain': 'plan' },
    });
    const entities = await ask(
      '{ _entities(representations: [{ __typename: "Issue", issueId: "issue_3" }]) { ... on Issue { title } } }',
    );
    const unknown = await ask('{ issue(issueId: "issue_9") { title } }');

    expect(errors).toEqual([]);
    expect(data.issue).toMatchObject({ title: 'Issue 2', comments: { totalCount: 2 } });
    // The issue and its comments are read side by side.
    expect(extensions.upstream).toMatchObject({ calls: 2, rounds: 1 });
    expect(again.data.node).toEqual({ title: 'Issue 2' });
    expect(listed.extensions.plan.routes.map(({ route }: any) => route)).toEqual([
      ...['/v1/issues', '/v1/issues/{issue_id}/comments'],
    ]);
    expect(entities.data._entities).toEqual([{ title: 'Issue 3' }]);
    expect(unknown.data).toEqual({ issue: null });
  });
});

async function start(): Promise<Client> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: copy,
    env: { ...env, PORT: '0', FEDERATION: 'on' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterFile(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
  });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /(?<=Ready: GraphQL.* at )http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    if (url !== undefined) return clientOf(url, 'demo');
  }
  throw new Error('The gateway ended before it printed its address.');
}
