/**
 * T80: documents for the approval of the software: licences, a bill of materials, and a policy for reports.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildGateway } from '../support/gateway-build.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

it('T80 the project has an MIT licence and a security policy', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ license: 'MIT' });
  expect(read('LICENSE')).toMatch(/^MIT License\n[^]*WITHOUT WARRANTY OF ANY KIND/);
  expect(read('SECURITY.md')).toContain('## Reporting');
});

/** The entries of NOTICES.txt, one a package: its name, version and licence, and the text of that. */
async function readNotices(): Promise<string[]> {
  const folder = dirname(await buildGateway());
  const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8');
  return notices.split(`\n\n${'-'.repeat(80)}\n\n`);
}

it('T80 NOTICES.txt lists each bundled package once, with its version and licence', async () => {
  const packages = await readNotices();

  // Not graphql: its one copy is next to the build, for plugins as well.
  for (const name of ['graphql-yoga', 'undici', 'zod', 'pino', 'hono', '@pothos/core']) {
    const own = packages.filter((text) => text.startsWith(`${name} `));
    expect(own, name).toHaveLength(1);
    expect(own[0]).toMatch(/^\S+ \d+\.\d+\.\d+\S* \((?:MIT|ISC)\)/);
  }
  // Some packages name their licence in package.json and ship no text of it.
  for (const text of packages) expect(text).toMatch(/^\S+ \d+\.\d+\.\d+\S* \((?!undefined)[^)]+\)/);
});

it('T80 the CycloneDX SBOM lists every bundled package', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', 'sbom', '--silent'], {
    cwd: ROOT,
    maxBuffer: 16_000_000,
  });

  const bill = JSON.parse(stdout);

  expect(bill.bomFormat).toBe('CycloneDX');
  const listed = bill.components.map(
    ({ group, name, version }: Record<string, string>) =>
      `${group ? `${group}/` : ''}${name} ${version}`,
  );
  const bundled = (await readNotices()).map((text) => text.split(' ', 2).join(' '));
  expect(listed).toEqual(expect.arrayContaining(bundled));
});

it('T80 .ci/run audits the packages and generates the SBOM', () => {
  const run = read('.ci/run');

  expect(run).toMatch(/^step audit$/m);
  expect(run).toContain('npm audit --omit=dev');
  expect(run).toMatch(/^step npm run sbom/m);
});
