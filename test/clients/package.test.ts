/** `npm run client`: the package that a frontend outside this repository installs from a file. */
import { execFile } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const CONSUMER = `
import { print } from 'graphql';
import { graphql } from 'content-pages-client';
import { PageWithAudiencesDocument, type PageWithAudiencesQuery } from 'content-pages-client/graphql';
import manifest from 'content-pages-client/manifest.json' with { type: 'json' };
import { PageWithAudiencesDocument as PartialDocument, type PageWithAudiencesQuery as Partial } from 'content-pages-client/partial/graphql';
import { graphql as partialGraphql } from 'content-pages-client/partial';
import { relayAccept } from 'content-pages-client/relay-incremental';

type Status<Query extends { page?: { audiences?: { nodes: readonly ({ status?: unknown } | null)[] } | null } | null }> = NonNullable<NonNullable<NonNullable<Query['page']>['audiences']>['nodes'][number]>['status'];
const certain: Status<PageWithAudiencesQuery> = 'published';
const uncertain: Status<Partial> = null;
// @ts-expect-error A client that throws never meets this null.
const wrong: Status<PageWithAudiencesQuery> = null;
// @ts-expect-error No document of the package has this text.
const refused = () => graphql('query Mine { __typename }');
const refusal = (() => { try { return refused(); } catch (error) { return String(error).split('.')[0]; } })();
const name = (data: PageWithAudiencesQuery): string | undefined => data.page?.name;
// @ts-expect-error No such field was selected.
const none = (data: PageWithAudiencesQuery): unknown => data.page?.nothing;
const { hash } = (PageWithAudiencesDocument as { __meta__?: { hash: string } }).__meta__!;
console.log(
  hash in manifest,
  print(PageWithAudiencesDocument).split('(')[0],
  print(PartialDocument) === print(PageWithAudiencesDocument),
  typeof partialGraphql,
  refusal,
  [certain, uncertain, wrong].length,
  relayAccept.split(';')[0],
  name({ __typename: 'Query', page: null }) ?? none({ __typename: 'Query', page: null }),
);
`;

const REQUIRED = `console.log(require('content-pages-client/graphql').SearchPagesDocument.kind);`;

/** How frontends find modules: by Node, or by a bundler. */
const RESOLUTIONS = [
  ['--module', 'nodenext'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
];

it('the packed client has types, documents and the manifest, and a frontend can install, compile and run it', async () => {
  // Outside this repository, so that nothing is found in its node_modules.
  const frontend = openFolder({
    'package.json': '{ "type": "module" }',
    'main.ts': CONSUMER,
    'required.cjs': REQUIRED,
  });
  await run('npm', ['run', 'client', '--', frontend], { cwd: ROOT });
  const packed = join(frontend, 'content-pages-client.tgz');
  const { stdout } = await run('tar', ['-tzf', packed]);
  const paths = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));

  expect(paths.filter((path) => !path.startsWith('documents/')).sort()).toEqual([
    'LICENSE',
    'cache/apollo.d.ts',
    'cache/apollo.js',
    'cache/graphcache.d.ts',
    'cache/graphcache.js',
    'codegen.d.ts',
    'codegen.js',
    'generated/cache-rules.d.ts',
    'generated/cache-rules.js',
    'generated/gql.d.ts',
    'generated/gql.js',
    'generated/graphql.d.ts',
    'generated/graphql.js',
    'generated/index.d.ts',
    'generated/index.js',
    'generated/partial/gql.d.ts',
    'generated/partial/gql.js',
    'generated/partial/graphql.d.ts',
    'generated/partial/graphql.js',
    'generated/partial/index.d.ts',
    'generated/partial/index.js',
    'json-value.d.ts',
    'json-value.js',
    'manifest.json',
    'package.json',
    'relay-incremental.d.ts',
    'relay-incremental.js',
    'schema.graphql',
  ]);
  expect(paths).toContain('documents/page-with-audiences.graphql');

  // Dependencies are installed from folders as well, so that no registry is called.
  const dependencies = ['graphql', '@graphql-typed-document-node/core'].map((name) =>
    join(ROOT, 'node_modules', name),
  );
  const install = ['install', '--install-links', '--offline', '--ignore-scripts', '--no-audit'];
  await run('npm', [...install, packed, ...dependencies], { cwd: frontend });
  const installed = join(frontend, 'node_modules/content-pages-client');
  // A link would resolve its modules from this repository, and load a second graphql.
  expect((await lstat(installed)).isSymbolicLink()).toBe(false);
  for (const path of paths.filter((path) => /\.(?:js|d\.ts)$/.test(path))) {
    expect(await readFile(join(installed, path), 'utf8')).not.toMatch(/from ['"][^'"]+\.ts['"]/);
  }
  const options = [
    '--target',
    'es2023',
    '--lib',
    'es2023,dom',
    '--strict',
    '--resolveJsonModule',
    '--skipDefaultLibCheck',
  ];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  for (const resolution of RESOLUTIONS) {
    await run(process.execPath, [tsc, ...resolution, ...options, 'main.ts'], { cwd: frontend });
    const printed = await run(process.execPath, ['main.js'], { cwd: frontend });
    const required = await run(process.execPath, ['required.cjs'], { cwd: frontend });

    expect(printed.stdout).toMatch(
      /^true query PageWithAudiences true function Error: graphql\(\) .* 3 multipart\/mixed undefined\n$/,
    );
    expect(required.stdout).toBe('Document\n');
  }
}, 180_000);
