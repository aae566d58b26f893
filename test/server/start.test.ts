import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('builds before a start only what has changed since the last one', () => {
  const clone = mkdtempSync(join(tmpdir(), 'start-'));
  onTestFinished(() => {
    rmSync(clone, { recursive: true });
  });
  for (const part of ['package.json', 'package-lock.json', 'rolldown.config.ts', 'src'])
    cpSync(join(ROOT, part), join(clone, part), {
      recursive: true,
      // GraphiQL's page has a build of its own, which takes ten times as long.
      filter: (source) => !source.endsWith('src/explorer'),
    });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const builtAt = (): number => {
    execFileSync('npm', ['run', 'prestart'], { cwd: clone, stdio: 'pipe' });
    return statSync(join(clone, 'dist/main.js')).mtimeMs;
  };

  const first = builtAt();
  expect(builtAt()).toBe(first);
  const later = new Date(Date.now() + 1000);
  utimesSync(join(clone, 'src/graph/loading/list.ts'), later, later);
  expect(builtAt()).toBeGreaterThan(first);
});

it('builds nothing at npm ci or npm start where only dist/ and the package files are shipped', () => {
  const shipped = mkdtempSync(join(tmpdir(), 'shipped-'));
  onTestFinished(() => {
    rmSync(shipped, { recursive: true });
  });
  cpSync(join(ROOT, 'package.json'), join(shipped, 'package.json'));

  for (const script of ['prepare', 'prestart'])
    expect(
      execFileSync('npm', ['run', '--silent', script], { cwd: shipped, stdio: 'pipe' }),
    ).toEqual(Buffer.from(''));
});
