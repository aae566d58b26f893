/**
 * The apps of docs/own-documents.md with the code generator that this repository has, a major before today's: types of
 * documents, and a screen that a real client fills although one person fails. test/browser/own-documents.test.ts follows
 * the page with today's packages.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openGateway } from '../support/open-gateway.ts';
import { ok, status } from '../support/faults.ts';
import { ROOT } from '../support/pages.ts';
import { routeOf, sampleOf, world } from '../support/world.ts';

const run = promisify(execFile);

const FILES = join(ROOT, 'docs/own-documents');

/** The files of one of the apps, by their paths in it. */
const filesOf = (app: string): ReadonlyMap<string, string> =>
  new Map(
    ['common', app].flatMap((folder) =>
      readdirSync(join(FILES, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.includes('.'))
        .map((path) => [path, readFileSync(join(FILES, folder, path), 'utf8')] as const),
    ),
  );

/** As the template `react-ts` of create-vite has it. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['vite/client', 'node'],
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    moduleDetection: 'force',
    noEmit: true,
    jsx: 'react-jsx',
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

let packed: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  await run(process.execPath, ['--import', 'tsx', 'src/app/commands/pack-client.ts', folder], {
    cwd: ROOT,
  });
  packed = join(folder, 'content-pages-client.tgz');
  return () => rm(folder, { recursive: true });
});

/** An app outside this repository, with these files and the packages that the page installs. */
async function makeApp(files: Iterable<readonly [string, string]>, name = 'app'): Promise<string> {
  const app = join(openFolder(), name);
  const modules = join(app, 'node_modules');
  await mkdir(join(modules, 'content-pages-client'), { recursive: true });
  // Packages of the registry are linked from this repository.
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const unpack = [
    '-xzf',
    packed,
    '--strip-components=1',
    '-C',
    'node_modules/content-pages-client',
  ];
  await run('tar', unpack, { cwd: app });
  await writeFile(join(app, 'package.json'), '{ "type": "module" }');
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  for (const [path, text] of files) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await writeFile(join(app, path), text);
  }
  return app;
}

const tool = (path: string): string => join(ROOT, 'node_modules', path);
const node = (app: string, ...given: string[]) => run(process.execPath, given, { cwd: app });
const generate = (app: string) =>
  node(app, tool('@graphql-codegen/cli/cjs/bin.js'), '--config', 'codegen.ts');
const compile = (app: string) => node(app, tool('typescript/bin/tsc'), '--project', '.');

/** The output of the compiler; empty without errors. */
const faultsOf = (app: string): Promise<string> =>
  compile(app).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );

/**
 * A program that renders the app by React and prints it once its data has come, and, where it is given an address that
 * limits the backend from then on, again after a page that fails, after a screen that fails, and without a connection.
 * `wrapped` is its element with a client, and `reread` reads its screen again.
 */
const draws = (imports: string, wrapped: string, reread: string): string => `
import { Window } from 'happy-dom';
import { createRoot } from 'react-dom/client';
import { App } from './App';
const [url, limit] = process.argv.slice(2) as [string, string?];
${imports}
const window = new Window();
Object.assign(globalThis, { window, document: window.document });
const root = document.createElement('div');
createRoot(root).render(${wrapped});
const end = Date.now() + 20_000;
const until = async (isDone: () => boolean) => {
  while (!isDone() && Date.now() < end) await new Promise((go) => setTimeout(go, 20));
};
const print = () => console.log(root.innerHTML.replaceAll('\\n', ' '));
const hasFailed = () => root.querySelector('[role=alert]') !== null;
await until(() => root.querySelector('li') !== null);
print();
if (limit) {
  await fetch(limit);
  (root.querySelector('button') as HTMLElement | null)?.click();
  await until(hasFailed);
  print();
  await ${reread};
  await until(hasFailed);
  print();
  globalThis.fetch = () => Promise.reject(new TypeError('fetch failed'));
  await ${reread};
  await until(() => root.innerHTML.includes('fetch failed'));
  print();
}
process.exit(0);
`;

const RUNS = {
  apollo: draws(
    `import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { possibleTypes, typePolicies } from 'content-pages-client/apollo';
const client = new ApolloClient({
  link: new HttpLink({ uri: url, headers: { 'x-api-key': 'demo' } }),
  cache: new InMemoryCache({ possibleTypes, typePolicies }),
});`,
    '<ApolloProvider client={client}><App pageId="p" /></ApolloProvider>',
    'client.reFetchObservableQueries().catch(() => {})',
  ),
  urql: draws(
    `import { cacheExchange } from '@urql/exchange-graphcache';
import { keys, possibleTypes, resolvers } from 'content-pages-client/graphcache';
import { Client, fetchExchange, Provider } from 'urql';
const client = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers: { 'x-api-key': 'demo' } },
  exchanges: [cacheExchange({ keys, possibleTypes, resolvers }), fetchExchange],
});`,
    '<Provider value={client}><App pageId="p" /></Provider>',
    "root.querySelector('button')!.click()",
  ),
};

/** Valid uses of the types of a document. */
const TYPED = `
import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core';
import type { JsonValue } from 'content-pages-client/json-value';
import { graphql } from './graphql';

const LOG = graphql(\`query Log($ids: [ID!]!) { nodes(ids: $ids) { id ... on PersonLog { createdAt payload } } page(pageId: "p") { audiencesCount } topics { edges { node { id } } } }\`);
type Data = ResultOf<typeof LOG>;
type Page = NonNullable<Data['page']>;
type Node = NonNullable<Data['topics']>['edges'][number]['node'];
type Log = Extract<NonNullable<Data['nodes'][number]>, { payload: unknown }>;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const variables: VariablesOf<typeof LOG> = { ids: ['a'] };
export const checks: [
  Same<Page['audiencesCount'], number>,
  Same<Log['createdAt'], string>,
  Same<Log['payload'], JsonValue>,
  Same<null extends Node ? true : false, NULLABLE>,
] = [true, true, true, true];
`;

const CLIENTS = ['apollo', 'urql'] as const;

describe('the apps of docs/own-documents.md', { timeout: 120_000 }, () => {
  /** Both apps, a folder each, whose types are generated and compiled at once. */
  let app: string;
  let faults: string;
  beforeAll(async () => {
    const files = CLIENTS.flatMap((client) =>
      [...filesOf(client), ['src/run.tsx', RUNS[client]] as const]
        .filter(([path]) => path.startsWith('src/'))
        .map(([path, text]) => [path.replace('src/', `src/${client}/`), text] as const),
    );
    const codegen = filesOf('apollo').get('codegen.ts')!;
    // The same documents are in both.
    const own = codegen.replace('src/**/*.tsx', `src/{apollo/*,typed}.tsx`);
    app = await makeApp([
      ...files,
      ['codegen.ts', own],
      ['src/typed.tsx', TYPED.replace('NULLABLE', 'true')],
    ]);
    await generate(app);
    for (const client of CLIENTS) await symlink('../graphql', join(app, 'src', client, 'graphql'));
    faults = await faultsOf(app);
  }, 120_000);

  it.each(CLIENTS)('show the remaining data with %s when one person fails', async (client) => {
    const site = await openGateway({ backend: 'faulty', rest: { timeoutMs: 5_000 } });
    const { upstream } = site;
    const rest = world();
    upstream.on('*', (response, seen, socket) =>
      (seen.target.startsWith('/v0/persons/') ? status(500) : rest)(response, seen, socket),
    );

    const built = ['--ssr', `src/${client}/run.tsx`, '--outDir', `dist/${client}`];
    await node(app, tool('vite/bin/vite.js'), 'build', ...built);
    const { stdout } = await node(app, `dist/${client}/run.js`, `${site.url}/graphql`);

    expect(stdout).toMatch(/<h1>.+<\/h1><p role="alert">.+<li>.+: no person<\/li>/s);
  });

  it.each(CLIENTS)(
    'keep their list with %s and show an error when a page or the screen cannot be read',
    async (client) => {
      const site = await openGateway({ backend: 'faulty', rest: { timeoutMs: 5_000 } });
      const rest = world();
      let isLimited = false;
      site.upstream.on('*', (response, seen, socket) => {
        isLimited ||= seen.target === '/limit';
        if (isLimited) return status(429)(response, seen, socket);
        const { route, values } = routeOf(seen)!;
        if (!route.path.endsWith('/audiences')) return rest(response, seen, socket);
        const [item] = sampleOf(route, values)['items'];
        const items = Array.from({ length: 5 }, (_, i) => ({ ...item, audienceId: `a${i}` }));
        return ok({ items, nextCursor: 'next' })(response, seen, socket);
      });

      const url = `${site.url}/graphql`;
      const limit = `http://127.0.0.1:${site.upstream.port}/limit`;
      const built = ['--ssr', `src/${client}/run.tsx`, '--outDir', `dist/${client}`];
      await node(app, tool('vite/bin/vite.js'), 'build', ...built);
      const { stdout } = await node(app, `dist/${client}/run.js`, url, limit);

      const [before, more, again, away] = stdout.trim().split('\n');
      const rows = (html: string | undefined) => html?.match(/<li>/g)?.length;
      expect(rows(before)).toBe(5);
      for (const html of [more, again, away]) {
        expect(rows(html)).toBe(5);
        expect(html).toContain('<p role="alert">');
      }
    },
  );

  it('compile with types that allow null for a failed field, and contain no unknown or any', async () => {
    expect(faults).toBe('');
    expect(await readFile(join(app, 'src/graphql/graphql.ts'), 'utf8')).not.toMatch(UNKNOWN);
    expect(await readdir(join(app, 'src/graphql'))).toContain('persisted-documents.json');
  });
});

const UNKNOWN = /(?:input|output): (?:unknown|any)/;

describe('types of own documents', { timeout: 180_000 }, () => {
  it('exclude null for a failed field with partial: false, and reject a changed query string at compile time and at run time', async () => {
    const typed = TYPED.replace('NULLABLE', 'false').replace("'./graphql'", "'./graphql/index.ts'");
    const app = await makeApp([
      [
        'codegen.ts',
        `import { contentPages } from 'content-pages-client/codegen';
         export default contentPages({ documents: 'src/*.ts', output: 'src/graphql/', partial: false, importExtension: '.ts' });`,
      ],
      ['src/typed.ts', typed],
    ]);
    await generate(app);

    expect(await faultsOf(app)).toBe('');
    expect(await readFile(join(app, 'src/graphql/graphql.ts'), 'utf8')).not.toMatch(UNKNOWN);
    expect(await readdir(join(app, 'src/graphql'))).toContain('persisted-documents.json');

    await writeFile(join(app, 'src/typed.ts'), typed.replace('id ... on', 'id id ... on'));

    const message = /graphql\(\) accepts only/;
    expect(await faultsOf(app)).toMatch(message);
    await expect(
      node(app, '--import', tool('tsx/dist/loader.mjs'), 'src/typed.ts'),
    ).rejects.toThrow(message);
  });

  const NAMES: readonly (readonly [string, string])[] = [
    [
      'codegen.ts',
      `import { contentPages } from 'content-pages-client/codegen';
       export default contentPages({ documents: 'src/**/*.ts', output: 'src/graphql/' });`,
    ],
    ['src/names.ts', 'graphql(`query Names { topics { totalCount } }`);'],
  ];

  it.each(['files (x86)', 'x{1,2}'])(
    'are generated in a folder whose name looks like a glob pattern: %s',
    async (name) => {
      const app = await makeApp(NAMES, name);

      await generate(app);

      const types = await readFile(join(app, 'src/graphql/graphql.ts'), 'utf8');
      expect(types).toContain('export type NamesQuery =');
    },
  );

  it('are not generated in a folder whose documents the generator cannot find', async () => {
    const app = await makeApp(NAMES, 'a!b');

    await expect(generate(app)).rejects.toThrow(/folder with !/);
  });

  it('map each custom scalar of the schema in the Relay configuration', async () => {
    const schema = buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8'));
    const scalars = Object.values(schema.getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name);

    const relay = JSON.parse(filesOf('relay').get('relay.config.json')!);

    expect(Object.keys(relay.customScalarTypes).sort()).toEqual(scalars.sort());
    const app = await makeApp([]);
    const { path } = relay.customScalarTypes.JSON;
    const { exports } = JSON.parse(
      await readFile(join(app, 'node_modules/content-pages-client/package.json'), 'utf8'),
    );
    expect(exports).toHaveProperty([path.replace('content-pages-client', '.')]);
    expect(await readFile(join(app, relay.schema), 'utf8')).toContain('type Query');
  });
});
