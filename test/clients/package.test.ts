/** `npm run client`: what a frontend outside this repository installs from a folder. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const CONSUMER = `
import { PageWithAudiencesDocument, type PageWithAudiencesQuery } from 'content-pages-client/graphql';
import manifest from 'content-pages-client/manifest.json' with { type: 'json' };

const name = (data: PageWithAudiencesQuery): string | undefined => data.page?.name;
console.log(typeof PageWithAudiencesDocument, Object.keys(manifest).length, name({ page: null }));
`;

it('packs types, documents and the manifest, which a frontend can compile and run', async () => {
  await run('npm', ['run', 'client'], { cwd: ROOT });
  const packed = join(ROOT, 'dist-client');
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: packed });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);

  expect(paths.filter((path) => !path.startsWith('documents/')).sort()).toEqual([
    'LICENSE',
    'gql.d.ts',
    'gql.js',
    'graphql.d.ts',
    'graphql.js',
    'index.d.ts',
    'index.js',
    'manifest.json',
    'package.json',
  ]);
  expect(paths).toContain('documents/page-with-audiences.graphql');
  for (const path of paths.filter((path) => /\.(?:js|d\.ts)$/.test(path))) {
    expect(await readFile(join(packed, path), 'utf8')).not.toMatch(/from '[^']+\.ts'/);
  }

  const frontend = await mkdtemp(join(tmpdir(), 'frontend-'));
  onTestFinished(() => rm(frontend, { recursive: true }));
  await mkdir(join(frontend, 'node_modules'));
  await cp(packed, join(frontend, 'node_modules/content-pages-client'), { recursive: true });
  for (const name of ['graphql', '@graphql-typed-document-node']) {
    await symlink(join(ROOT, 'node_modules', name), join(frontend, 'node_modules', name));
  }
  await writeFile(join(frontend, 'package.json'), '{ "type": "module" }');
  await writeFile(join(frontend, 'main.ts'), CONSUMER);
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--lib', 'es2023,dom'];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...options, '--resolveJsonModule', 'main.ts'], {
    cwd: frontend,
  });
  const printed = await run(process.execPath, ['main.js'], { cwd: frontend });

  expect(printed.stdout).toMatch(/^object \d+ undefined\n$/);
}, 60_000);
