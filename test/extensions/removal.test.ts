/** Each extension can be taken out: its folder, its line in `src/app/extensions.ts` and the commands that read it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../support/client.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const EXTENSIONS = readdirSync(join(ROOT, 'src/extensions'));

const QUERY =
  '{ page(pageId: "page_northwind") { name audiences(first: 2) { nodes { person { name } } } } }';

/** What builds and starts. */
const SOURCES = ['src', 'package.json', 'tsconfig.json', 'rolldown.config.ts', 'codegen.ts'];

/** What tests read beside it. */
const TESTED = [
  '.prettierrc.json',
  'CONTRIBUTING.md',
  'README.md',
  'deploy',
  'dist/explorer',
  'docs',
  'package-lock.json',
  'schema.graphql',
  'test',
  'vitest.config.ts',
];

/** A copy of the repository without some of its extensions. */
function copyWithout(names: readonly string[], copied = SOURCES): string {
  const copy = mkdtempSync(join(tmpdir(), 'without-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const name of copied) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const isOf = (text: string): boolean =>
    names.some((name) => text.includes(`extensions/${name}/`));
  for (const name of names) rmSync(join(copy, 'src/extensions', name), { recursive: true });
  const list = join(copy, 'src/app/extensions.ts');
  const lines = readFileSync(list, 'utf8').split('\n');
  writeFileSync(list, lines.filter((line) => !isOf(line)).join('\n'));
  const commands = join(copy, 'src/app/commands');
  for (const file of readdirSync(commands)) {
    if (isOf(readFileSync(join(commands, file), 'utf8'))) rmSync(join(commands, file));
  }
  return copy;
}

it.each(EXTENSIONS)(
  'without %s the gateway builds, starts and answers a nested query',
  async (name) => {
    const copy = copyWithout([name]);

    await run(process.execPath, [join(ROOT, 'node_modules/rolldown/bin/cli.mjs'), '--config'], {
      cwd: copy,
    });
    const gateway = spawn(process.execPath, ['dist/main.js'], {
      cwd: copy,
      env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: ':memory:', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void gateway.kill('SIGKILL'));
    let url: string | undefined;
    for await (const line of createInterface(gateway.stdout)) {
      url = /"url":"([^"]+\/graphql)"/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    const reply = await send(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'demo' },
      body: JSON.stringify({ query: QUERY }),
    });
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');

    expect(reply.body.errors).toBeUndefined();
    expect(reply.body.data.page.audiences.nodes).toHaveLength(2);
    expect((await ended)[0]).toBe(0);
  },
);

it('without any of them what is left has all the types that it needs', async () => {
  const copy = copyWithout(EXTENSIONS);
  const tsconfig = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8'));
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ ...tsconfig, include: ['src'], exclude: ['src/explorer'] }),
  );

  const checked = await run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit'],
    { cwd: copy },
  ).catch((error: { readonly stdout: string }) => error);

  expect(checked.stdout).toBe('');
});

// The other tests run the same code with and without extensions: they do not load the list of them, nor start a gateway.
const THAT_LOAD_THEM = ['src/app/extensions.ts', 'test/support/gateway-build.ts'];

it('without any of them the quick tests of everything else pass', async () => {
  const copy = copyWithout(EXTENSIONS, [...SOURCES, ...TESTED]);
  rmSync(join(copy, 'test/extensions'), { recursive: true });
  // What is said of the list of extensions, and of the picture of all folders.
  rmSync(join(copy, 'test/architecture.test.ts'));

  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(
    process.execPath,
    [
      ...[vitest, 'related', '--run', ...THAT_LOAD_THEM],
      ...['--project', 'quick', '--reporter', 'json', '--silent', '--retry', '2'],
    ],
    {
      cwd: copy,
      maxBuffer: 100_000_000,
      // It is no worker of the tests that run it.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
    },
  ).catch((error: { readonly stdout: string }) => error);
  const report = JSON.parse(stdout) as Report;

  const failed = report.testResults.filter(({ status }) => status === 'failed');
  expect(failed.map(({ name, message }) => [name, message])).toEqual([]);
  expect(report.numPassedTests).toBeGreaterThan(1_000);
}, 900_000);

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}
