/** The worked example of docs/adding-a-resource.md compiles, keeps the structure, and passes its test. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages, ROOT } from './support/pages.ts';
import { applyPage } from './support/worked-example.ts';

/** Files of `test/support/` that the example's test imports. */
const SUPPORT = [
  'after-file',
  'certificates',
  'client',
  'close-after-file',
  'empty-plugin',
  'fault-upstream',
  'faults',
  'folder',
  'gateway-build',
  'gateway-process',
  'listen',
  'layers',
  'open-gateway',
  'pages',
  'sample-answers',
  'sample-database',
  'settings',
  'world',
].map((name) => `test/support/${name}.ts`);

const COPIED = [
  'src',
  ...SUPPORT,
  'test/backend/support.ts',
  'test/backend/contract.test.ts',
  'test/architecture.test.ts',
  'docs/architecture.md',
  'codegen.ts',
  'package.json',
  'rolldown.config.ts',
  'tsconfig.json',
  'vitest.config.ts',
];

const NEW_FILES = join(ROOT, 'docs/adding-a-resource');

const page = readPages().find(({ file }) => file === 'docs/adding-a-resource.md')!;

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'adding-a-resource-'));
  for (const file of COPIED) {
    cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  applyPage(page, copy);
  cpSync(NEW_FILES, copy, { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a script of a package in the copy, with an environment of its own: `passed`, or else its output. */
const run = (script: string, ...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [join(copy, 'node_modules', script), ...args], {
    cwd: copy,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
  }).then(
    () => 'passed',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

describe.concurrent('the worked example', { timeout: 180_000 }, () => {
  it('takes between 100 and 150 lines', () => {
    const changed = page.blocks
      .filter(({ info }) => info.startsWith('file '))
      .flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('+')));
    const added = readdirSync(NEW_FILES, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join(NEW_FILES, file), 'utf8').trimEnd().split('\n'));
    const written = [...changed, ...added];

    expect(written.length).toBeGreaterThan(100);
    expect(written.length).toBeLessThan(150);
  });

  it('compiles', async () => {
    expect(await run('typescript/bin/tsc', '--noEmit')).toBe('passed');
  });

  it('passes the tests of the structure, of the contract and its own', async () => {
    const tests = ['architecture', 'backend/contract', 'resources/brand'].map(
      (name) => `test/${name}.test.ts`,
    );

    expect(await run('vitest/vitest.mjs', 'run', '--maxWorkers=1', ...tests)).toBe('passed');
  });
});
