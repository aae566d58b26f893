/**
 * Ids of trusted documents by packages that this repository does not have, installed from the registry: the code
 * generator's client preset 6, and Apollo's manifest tool with its client.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openGateway } from '../support/open-gateway.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const PACKAGES = [
  'graphql@16.15.0',
  '@graphql-codegen/cli@7.4.3',
  '@graphql-codegen/client-preset@6.2.0',
  'graphql-sock@1.0.1',
  '@apollo/client@4.3.8',
  'rxjs@7.8.2',
  '@apollo/generate-persisted-query-manifest@1.4.0',
  '@apollo/persisted-query-lists@1.1.0',
];

/** Its fragments are not in the order of their names. */
const SCREEN = `query Screen($pageId: ID!) { page(pageId: $pageId) { id ...Name } }
fragment Name on Page { name ...Mark }
fragment Mark on Page { status }`;

const FILES = {
  'package.json': '{ "type": "module" }',
  'codegen.ts': `import { contentPages } from 'content-pages-client/codegen';
    export default contentPages({ documents: 'src/*.graphql', output: 'generated/' });`,
  'persisted-query-manifest.config.json':
    '{ "documents": ["src/*.graphql"], "output": "persisted-query-manifest.json" }',
  'ask.js': `import { readFileSync } from 'node:fs';
    import { createHash } from 'node:crypto';
    import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
    import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
    import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';
    const [url, way] = process.argv.slice(2);
    const loadManifest = () => JSON.parse(readFileSync('persisted-query-manifest.json', 'utf8'));
    const sha256 = (text) => createHash('sha256').update(text).digest('hex');
    const ids = way === 'manifest' ? generatePersistedQueryIdsFromManifest({ loadManifest }) : { sha256 };
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new PersistedQueryLink(ids).concat(new HttpLink({ uri: url, headers: { 'x-api-key': 'demo' } })),
    });
    const query = gql(readFileSync('src/screen.graphql', 'utf8'));
    const { data, error } = await client.query({ query, variables: { pageId: 'page_northwind' }, errorPolicy: 'all' });
    console.log(data?.page.name ?? error.errors[0].extensions.code);
    process.exit(0);`,
};

let app: string;
beforeAll(async () => {
  app = openFolder(FILES);
  mkdirSync(join(app, 'src'));
  writeFileSync(join(app, 'src/screen.graphql'), SCREEN);
  const pack = ['--import', 'tsx', 'src/app/commands/pack-client.ts', app];
  await run(process.execPath, pack, { cwd: ROOT });
  const packed = join(app, 'content-pages-client.tgz');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...options, packed, ...PACKAGES], { cwd: app });
}, 300_000);

/** A gateway that serves the documents of these manifests alone. */
async function openWithTrustedDocuments(manifests: Readonly<Record<string, string>>) {
  const folder = openFolder(manifests);
  const site = await openGateway({ documents: { folder, only: true } });
  await site.gateway.open();
  return site;
}

const bin = (name: string, ...given: string[]) =>
  run(process.execPath, [join(app, 'node_modules/.bin', name), ...given], { cwd: app });

/** The preset's hash of a document, as an app reads it. */
const hashIn = (types: string, name: string): string =>
  new RegExp(`"hash":"([^"]+)"[^\\n]*?"value":"${name}"`).exec(types)![1]!;

it('the hash of client preset 5 is the documentId of a document in its manifest', async () => {
  const generated = join(ROOT, 'src/client/generated');
  const manifest = readFileSync(join(generated, 'persisted-documents.json'), 'utf8');
  const { SearchPagesDocument } = await import('../../src/client/generated/graphql.ts');
  const { hash } = (SearchPagesDocument as unknown as { __meta__: { hash: string } }).__meta__;
  const site = await openWithTrustedDocuments({ 'web-1.json': manifest });

  const variables = { query: 'northwind', first: 1 };
  const { body } = await site.post({ documentId: hash, variables }, { 'x-api-key': 'demo' });

  expect(hash).not.toContain('sha256:');
  expect(body.data.searchPages).toHaveLength(1);
});

it('the hash of client preset 6 is the documentId of a document in its manifest', async () => {
  await bin('graphql-codegen', '--config', 'codegen.ts');
  const manifest = readFileSync(join(app, 'generated/persisted-documents.json'), 'utf8');
  const hash = hashIn(readFileSync(join(app, 'generated/graphql.ts'), 'utf8'), 'Screen');
  const site = await openWithTrustedDocuments({ 'web-1.json': manifest });

  const variables = { pageId: 'page_northwind' };
  const { body } = await site.post({ documentId: hash, variables }, { 'x-api-key': 'demo' });

  expect(hash).toContain('sha256:');
  expect(body.data.page.name).toBe('Northwind launch');
}, 120_000);

it('Apollo Client finds documents of Apollo’s manifest by their ids, not by hashes of the sent documents', async () => {
  await bin('generate-persisted-query-manifest');
  const manifest = readFileSync(join(app, 'persisted-query-manifest.json'), 'utf8');
  const site = await openWithTrustedDocuments({ 'web-1.json': manifest });
  const ask = async (way: string) =>
    (await run(process.execPath, ['ask.js', `${site.url}/graphql`, way], { cwd: app })).stdout;

  expect(await ask('manifest')).toBe('Northwind launch\n');
  expect(await ask('sha256')).toBe('TRUSTED_DOCUMENT_REQUIRED\n');
}, 120_000);
