/**
 * The worked example of docs/adding-a-resource.md and the first change of CONTRIBUTING.md, made in one copy of the
 * repository, compile and leave the quick suite green.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages, ROOT } from './support/pages.ts';
import { applyPage } from './support/worked-example.ts';

/** What a clone does not have, in whichever folder: `test/extensions/federation` has its own packages. */
const NOT_COPIED = new Set(['.git', '.data', 'node_modules']);

const NEW_FILES = join(ROOT, 'docs/adding-a-resource');

const pageNamed = (name: string) => readPages().find(({ file }) => file === name)!;
const page = pageNamed('docs/adding-a-resource.md');

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'adding-a-resource-'));
  const isCopied = (path: string): boolean => !NOT_COPIED.has(basename(path));
  for (const file of readdirSync(ROOT).filter(isCopied)) {
    cpSync(join(ROOT, file), join(copy, file), { recursive: true, filter: isCopied });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  applyPage(page, copy);
  applyPage(pageNamed('CONTRIBUTING.md'), copy);
  cpSync(NEW_FILES, copy, { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a script of a package in the copy, with its own environment: `passed`, or else its output. */
const run = (script: string, ...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [join(copy, 'node_modules', script), ...args], {
    cwd: copy,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
  }).then(
    () => 'passed',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

describe('the worked example', { timeout: 900_000 }, () => {
  it('takes between 200 and 300 lines', () => {
    const changed = page.blocks
      .filter(({ info }) => info.startsWith('file '))
      .flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('+')));
    const added = readdirSync(NEW_FILES, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|sql)$/.test(file))
      .flatMap((file) => readFileSync(join(NEW_FILES, file), 'utf8').trimEnd().split('\n'));
    const written = [...changed, ...added];

    expect(written.length).toBeGreaterThan(200);
    expect(written.length).toBeLessThan(300);
  });

  it('compiles', async () => {
    expect(await run('typescript/bin/tsc', '--noEmit')).toBe('passed');
  });

  it('passes the quick test suite after npm run codegen', async () => {
    expect(await run('tsx/dist/cli.mjs', 'src/app/commands/generate.ts')).toBe('passed');
    expect(await run('vitest/vitest.mjs', 'run', '--project', 'quick')).toBe('passed');
  });
});
