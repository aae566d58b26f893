/** The worked example of docs/plugins.md, run as an operator runs it. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadPlugins } from '../../src/app/process/operator-plugins.ts';
import { OperatorError } from '../../src/lib/operator-error.ts';
import { readPage, ROOT } from '../support/pages.ts';
import { openHttp } from '../support/listen.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openWithTrustedDocuments } from '../support/trusted-documents.ts';

/** The part of a report that is read here. Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports */
interface Report {
  readonly map: Readonly<
    Record<string, { readonly operation: string; operationName?: string; fields: string[] }>
  >;
  readonly operations: readonly { readonly operationMapKey: string }[];
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'adding-a-plugin-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  cpSync(join(ROOT, 'docs/plugins'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('rejects anonymous operations with the plugin from the docs page', async () => {
  const { text } = readPage('docs/plugins.md').blocks.find(({ info }) => info === 'plugin')!;
  const path = join(folder, 'named.mjs');
  writeFileSync(path, text);
  const site = await openGateway({ plugins: await loadPlugins(path, {}) });

  const named = await site.ask('query Named { __typename }');
  const anonymous = await site.ask('{ __typename }');

  expect(named.status).toBe(200);
  expect([anonymous.status, anonymous.codes]).toEqual([400, ['OPERATION_NAME_REQUIRED']]);
});

it('accepts sixty operations per key, rejects the next one with 429, and still accepts other keys', async () => {
  // Keep all requests in one minute.
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => now.mockRestore());
  const plugins = await loadPlugins(join(folder, 'quota.mjs'), {});
  const site = await openGateway({ plugins });

  for (let i = 0; i < 60; i++) expect((await site.ask('{ __typename }')).status).toBe(200);
  const refused = await site.ask('{ __typename }');
  const other = await site.ask('{ __typename }', { apiKey: 'another' });

  expect([refused.status, refused.codes]).toEqual([429, ['QUOTA_EXCEEDED']]);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(other.status).toBe(200);
});

it('reports usage to GraphQL Hive when the gateway closes, without literals, variables or keys', async () => {
  const sent: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const hive = await openHttp((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/usage') sent.push({ headers: request.headers, body });
      response.end('{}');
    });
  });
  vi.stubEnv('HIVE_TOKEN', 'token-of-a-target');
  vi.stubEnv('HIVE_USAGE_URL', `${hive}/usage`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const plugins = await loadPlugins(join(folder, 'hive.mjs'), {});
  const manifests = {
    'ios-4.2.json': { topics: 'query Topics { topics(first: 3) { nodes { title } } }' },
  };
  const site = await openWithTrustedDocuments(manifests, { plugins });

  expect((await site.byId('topics')).status).toBe(200);
  await site.ask(
    'query Mine($id: ID!) { page(pageId: $id) { name } topic(topicId: "secret-1") { title } }',
    {
      variables: { id: 'secret-2' },
    },
  );
  await site.close();

  expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-of-a-target']);
  const report = JSON.parse(sent[0]!.body) as Report;
  const lineOf = (name: string) =>
    report.operations.find((line) => report.map[line.operationMapKey]!.operationName === name)!;
  expect(report.map[lineOf('Topics').operationMapKey]!.fields).toContain('Topic.title');
  expect(lineOf('Topics')).toMatchObject({
    metadata: { client: { name: 'ios', version: '4.2' } },
    execution: { ok: true, errorsTotal: 0 },
  });
  expect(report.map[lineOf('Mine').operationMapKey]!.operation).toContain('query Mine');
  expect(sent[0]!.body).not.toMatch(/secret|demo/);
});

it.each([
  ['throws', 'throw new Error("no such thing");', /: no such thing$/],
  ['exports nothing', '', /\barray\b/],
  ['exports something else', 'export default 7;', /\barray\b/],
])('rejects a module that %s with OperatorError', async (_what, source, message) => {
  const path = join(folder, `bad-${Math.random()}.mjs`);
  writeFileSync(path, source);
  onTestFinished(() => rmSync(path));

  const loading = loadPlugins(path, {});

  await expect(loading).rejects.toThrow(OperatorError);
  await expect(loading).rejects.toThrow(message);
});

it('calls an exported function with the configuration', async () => {
  const path = join(folder, 'function.mjs');
  writeFileSync(path, 'export default ({ port }) => [{ port }];');

  expect(await loadPlugins(path, { port: 7 })).toEqual([{ port: 7 }]);
});

describe('plugins with their own copies of packages, including graphql', () => {
  /** The packages of which the folder has copies. */
  const COPIED = [
    'graphql',
    'graphql-yoga',
    '@envelop',
    '@graphql-tools',
    '@graphql-yoga',
    '@escape.tech',
  ];
  const isNeeded = (file: string): boolean =>
    !/\.d\.[mc]?ts$|\.map$|@graphql-tools\/(?!utils|executor|schema|merge)/.test(file);
  let own: string;

  beforeAll(() => {
    own = mkdtempSync(join(tmpdir(), 'own-packages-'));
    mkdirSync(join(own, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      const from = join(ROOT, 'node_modules', name);
      const to = join(own, 'node_modules', name);
      if (COPIED.includes(name)) cpSync(from, to, { recursive: true, filter: isNeeded });
      else symlinkSync(from, to, 'junction');
    }
  });
  afterAll(() => rmSync(own, { recursive: true, force: true }));

  const load = (name: string, source: string) => {
    writeFileSync(join(own, name), source);
    return loadPlugins(join(own, name), {});
  };

  it.each(['onParse', 'onValidate', 'onContextBuilding', 'onExecute', 'onParams'])(
    'reject an operation in %s with their own code and status',
    async (hook) => {
      const plugins = await load(
        `${hook}.mjs`,
        `import { GraphQLError } from 'graphql';
        const http = { status: 403, headers: { 'x-day': 'sunday' } };
        export default [{ ${hook}() { throw new GraphQLError('Not today.', { extensions: { code: 'CLOSED', http } }); } }];`,
      );
      const site = await openGateway({ plugins });

      const { status, headers, body } = await site.ask('{ __typename }');

      expect([status, headers.get('x-day')]).toEqual([403, 'sunday']);
      expect(body).toEqual({ errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] });
    },
  );

  it('reject an operation without a token, as @graphql-yoga/plugin-jwt does', async () => {
    const plugins = await load(
      'jwt.mjs',
      `import { createInlineSigningKeyProvider, useJWT } from '@graphql-yoga/plugin-jwt';
      export default [useJWT({ signingKeyProviders: [createInlineSigningKeyProvider('secret')], reject: { missingToken: true } })];`,
    );
    const site = await openGateway({ plugins });

    const { status, errors } = await site.ask('{ __typename }');

    expect([status, errors[0].message]).toEqual([401, 'Unauthenticated']);
  });

  it('reject a document with their own message, as GraphQL Armor does', async () => {
    const plugins = await load(
      'armor.mjs',
      `import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
      export default [maxAliasesPlugin({ n: 1 })];`,
    );
    const site = await openGateway({ plugins });

    const { status, errors } = await site.ask('{ page(pageId: "p") { a: name b: name } }');

    expect(status).toBe(400);
    expect(errors[0].message).toContain('Aliases limit of 1 exceeded');
  });

  it('fail a field with their own message', async () => {
    const plugins = await load(
      'fields.mjs',
      `import { GraphQLError } from 'graphql';
      const error = new GraphQLError('Not this one.', { path: ['b'], extensions: { code: 'HIDDEN' } });
      export default [{ onExecute: () => ({ onExecuteDone: ({ result, setResult }) => setResult({ data: { ...result.data, b: null }, errors: [error] }) }) }];`,
    );
    const site = await openGateway({ plugins });

    const { body } = await site.ask('{ a: __typename b: __typename }');

    expect(body).toEqual({
      data: { a: 'Query', b: null },
      errors: [{ message: 'Not this one.', path: ['b'], extensions: { code: 'HIDDEN' } }],
    });
  });
});

it.each(['onPluginInit', 'onYogaInit', 'onSchemaChange'])(
  'fails to start with one line that names the file when a plugin throws in %s',
  async (hook) => {
    const file = join(folder, `${hook}.mjs`);
    writeFileSync(
      file,
      `export default [{ ${hook}() { throw new Error('No licence.\\nBuy one.'); } }];`,
    );
    const plugins = await loadPlugins(file, {});

    const opening = openGateway({ plugins });

    await expect(opening).rejects.toThrow(
      new OperatorError(`PLUGINS: ${file} failed in ${hook}: No licence.`),
    );
  },
);
