/** Trusted documents: every form of id that clients send, and a folder that changes while it is served. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { Documents } from '../../src/gateway/documents/documents.ts';
import {
  TrustedDocuments,
  TrustedDocumentsError,
} from '../../src/gateway/documents/trusted-documents.ts';
import { schema } from '../../src/app/schema.ts';
import { openFolder } from '../support/folder.ts';
import { openLog } from '../support/open-log.ts';
import { IDS } from '../support/ids.ts';
import { replyOf, send } from '../support/client.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const PAGE = 'query Page($id: ID!) { page(pageId: $id) { name } }';
const TOPICS = 'query Topics { topics(first: 1) { nodes { title } } }';
const RELAY = 'query Type { __typename }';
const WRITE =
  'mutation Restore($id: ID!) { restorePage(input: { id: $id }) { page { status } userErrors { code } } }';
const OTHER = '{ page(pageId: "x") { title } }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const VARIABLES = { id: IDS.page };
const ANSWER = '{"data":{"page":{"name":"Northwind launch"}}}';

/** A new folder with a manifest of each format. */
const openManifests = (): string =>
  openFolder({
    'web-1.json': { [sha256(PAGE)]: PAGE, [sha256(WRITE)]: WRITE },
    'ios-4.2.json': {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: 'topics-1', name: 'Topics', type: 'query', body: TOPICS }],
    },
    'relay-7.json': { '0123456789abcdef0123456789abcdef': RELAY },
  });

const write = (folder: string, file: string, manifest: unknown) =>
  writeFile(join(folder, file), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));

const shared = new Map<string, Promise<InProcessGateway>>();

/** The gateway that this file shares for these options; a new one for a folder, which tests change. */
async function openWithTrustedDocuments(
  options: Partial<GatewayOptions['documents']> = {},
  gatewayOptions: Pick<GatewayOptions, 'logger'> = {},
): Promise<InProcessGateway> {
  if (options.folder !== undefined) {
    const site = await openOwn(options, gatewayOptions);
    onTestFinished(() => site.gateway.close());
    return site;
  }
  const name = JSON.stringify(options);
  const opening = shared.get(name) ?? openOwn(options);
  shared.set(name, opening);
  const site = await opening;
  site.restCalls.length = 0;
  return site;
}

async function openOwn(
  options: Partial<GatewayOptions['documents']> = {},
  gatewayOptions: Pick<GatewayOptions, 'logger'> = {},
): Promise<InProcessGateway> {
  const folder = options.folder ?? openManifests();
  const site = await openGateway({
    documents: { pollMs: 20, ...options, folder },
    ...gatewayOptions,
  });
  await site.gateway.open();
  return site;
}

const post = (site: InProcessGateway, body: object) => site.post(body, { 'x-api-key': 'demo' });

const get = (site: InProcessGateway, params: Record<string, unknown>) =>
  send(`${site.url}/graphql?${searchOf(params)}`, { headers: { 'x-api-key': 'demo' } });

const searchOf = (params: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

type Ask = (site: InProcessGateway, params: Record<string, unknown>) => ReturnType<typeof post>;

const TRANSPORTS: readonly (readonly [name: string, ask: Ask])[] = [
  ['POST', post],
  [
    'a form',
    (site, params) =>
      site.post(searchOf(params), {
        'x-api-key': 'demo',
        'content-type': 'application/x-www-form-urlencoded',
      }),
  ],
  ['GET', get],
  [
    'fetch',
    async (site, params) => {
      const response = await site.gateway.fetch(
        new Request(`http://gateway/graphql?${searchOf(params)}`, {
          headers: { 'x-api-key': 'demo' },
        }),
      );
      return replyOf(response);
    },
  ],
];

describe.each(TRANSPORTS)('a trusted document by %s', (_transport, ask) => {
  it.each<[form: string, params: Record<string, unknown>]>([
    ['documentId with its prefix', { documentId: `sha256:${sha256(PAGE)}` }],
    ['documentId without a prefix', { documentId: sha256(PAGE) }],
    [
      'persistedQuery',
      { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(PAGE) } } },
    ],
    ['doc_id', { doc_id: sha256(PAGE) }],
    ['id and query string', { documentId: `sha256:${sha256(PAGE)}`, query: PAGE }],
  ])('is found by %s', async (_form, params) => {
    const site = await openWithTrustedDocuments({ only: true });

    const { text } = await ask(site, { ...params, variables: VARIABLES });

    expect(text).toBe(ANSWER);
  });

  it('is found by its id in each format of manifest', async () => {
    const site = await openWithTrustedDocuments();

    const answers = [
      await ask(site, { documentId: 'topics-1' }),
      // Apollo's link sends the id of the manifest instead of a hash.
      await ask(site, { extensions: { persistedQuery: { version: 1, sha256Hash: 'topics-1' } } }),
      await ask(site, { doc_id: '0123456789abcdef0123456789abcdef' }),
    ];

    expect(answers.map(({ status, codes }) => [status, ...codes])).toEqual([[200], [200], [200]]);
  });

  it('is rejected as PersistedQueryNotFound for an unknown id, without a REST call', async () => {
    const site = await openWithTrustedDocuments();

    const { body, codes } = await ask(site, { documentId: `sha256:${sha256(OTHER)}` });

    expect(body.errors[0].message).toBe('PersistedQueryNotFound');
    expect(codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect(site.restCalls).toEqual([]);
  });

  it('is rejected as PersistedQueryNotSupported when no folder is set', async () => {
    const site = await openGateway();

    const { body, codes } = await ask(site, { documentId: `sha256:${sha256(PAGE)}` });

    expect(body.errors[0].message).toBe('PersistedQueryNotSupported');
    expect(codes).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
  });

  it('is required when only trusted documents are served', async () => {
    const site = await openWithTrustedDocuments({ only: true });

    const refused = [
      await ask(site, { query: OTHER }),
      await ask(site, { query: '{ __schema { queryType { name } } }' }),
      await ask(site, { query: OTHER, documentId: `sha256:${sha256(OTHER)}` }),
      await ask(site, { query: OTHER, doc_id: 'nobody knows it' }),
    ];

    for (const { status, codes } of refused) {
      expect(codes).toEqual(['TRUSTED_DOCUMENT_REQUIRED']);
      expect(status).toBe(400);
    }
    expect(site.restCalls).toEqual([]);
  });

  it('is rejected when its id and the query string do not match', async () => {
    const site = await openWithTrustedDocuments();

    const refused = [
      await ask(site, { query: OTHER, documentId: `sha256:${sha256(PAGE)}`, variables: VARIABLES }),
      await ask(site, { query: OTHER, documentId: 'topics-1' }),
      await ask(site, { query: OTHER, documentId: `sha256:${sha256('other')}` }),
    ];

    expect(refused.map(({ status, codes }) => [status, ...codes])).toEqual(
      refused.map(() => [400, 'BAD_REQUEST']),
    );
    expect(site.restCalls).toEqual([]);
  });

  it('is not registered by a query string sent with its hash, which is only executed', async () => {
    const site = await openWithTrustedDocuments();
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(OTHER) } };

    const second = await ask(site, { query: OTHER, extensions });
    const third = await ask(site, { extensions });

    expect(second.body.data).toEqual({ page: null });
    expect(third.codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  it('is not required for a query string sent with an unknown app-specific id', async () => {
    const site = await openWithTrustedDocuments();

    const answers = [
      await ask(site, { query: OTHER, documentId: 'later-1' }),
      await ask(site, { query: OTHER, doc_id: 'later-1' }),
      await ask(site, {
        query: OTHER,
        extensions: { persistedQuery: { version: 1, sha256Hash: 'later-1' } },
      }),
    ];

    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => '{"data":{"page":null}}'));
  });
});

const INVALID_JSON = expect.stringMatching(/JSON/) as string;
const UNREADABLE = expect.stringMatching(/read/) as string;
const BAD_WEB_2 = { file: 'web-2.json', reason: INVALID_JSON };

describe('a trusted document', () => {
  it.each(TRANSPORTS)(
    'by %s is not confused with one requested before',
    async (_transport, ask) => {
      const site = await openWithTrustedDocuments();
      const page = { documentId: `sha256:${sha256(PAGE)}`, variables: { id: 'page_northwind' } };

      const replies = [];
      for (const asked of [{ documentId: 'topics-1' }, page, { documentId: 'topics-1' }, page]) {
        replies.push((await ask(site, asked)).body.data);
      }

      expect(replies.map((data: object) => Object.keys(data))).toEqual([
        ['topics'],
        ['page'],
        ['topics'],
        ['page'],
      ]);
    },
  );

  it('requires the client’s API key', async () => {
    const site = await openWithTrustedDocuments();

    const { status, codes } = await site.post({
      documentId: sha256(PAGE),
      variables: VARIABLES,
    });

    expect([status, ...codes]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('has cacheMaxAge as max-age in Cache-Control, unlike any other response', async () => {
    const site = await openWithTrustedDocuments({ cacheMaxAge: 60 });
    const asked = { documentId: sha256(PAGE), variables: VARIABLES };
    const cacheControl = async (params: Record<string, unknown>, headers = {}) =>
      (
        await send(`${site.url}/graphql?${searchOf(params)}`, {
          headers: { 'x-api-key': 'demo', ...headers },
        })
      ).headers.get('cache-control');

    expect(await cacheControl(asked)).toBe('private, max-age=60');
    expect(await cacheControl({ query: OTHER })).toBe('private, no-cache');
    expect(await cacheControl(asked, { 'x-explain': 'true' })).toBe('no-store');
    expect(await cacheControl({ documentId: sha256(PAGE) })).toBe('no-store');
    expect(await cacheControl({ documentId: sha256(OTHER) })).toBe('no-store');
  });

  it('with a mutation is rejected by GET with 405', async () => {
    const site = await openWithTrustedDocuments();

    const { status } = await get(site, { documentId: sha256(WRITE), variables: VARIABLES });

    expect(status).toBe(405);
    expect(site.restCalls).toEqual([]);
  });

  it.each([7, ['x'], {}, ''])('is rejected for the id %j', async (documentId) => {
    const site = await openWithTrustedDocuments();

    const { codes } = await post(site, { documentId });

    expect(codes).toEqual([documentId === '' ? 'PERSISTED_QUERY_NOT_FOUND' : 'BAD_REQUEST']);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'is not found by the id %s',
    async (documentId) => {
      const site = await openWithTrustedDocuments();

      const { codes } = await post(site, { documentId });

      expect(codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    },
  );

  it('is not evicted by 1,100 other documents', async () => {
    const { trusted, documents } = await openStore(openManifests());
    const before = trusted.find(TOPICS_ASKED);

    for (let i = 0; i < 1_100; i++) documents.find(`{ a${i}: __typename }`);

    expect(before).toBeDefined();
    expect(trusted.find(TOPICS_ASKED)).toBe(before);
  });
});

const TOPICS_ASKED = {
  documentId: 'topics-1',
  query: '',
  operationName: undefined,
  variables: undefined,
  onError: 'PROPAGATE',
} as const;

describe('the folder of trusted documents', () => {
  it('is reported by /ready', async () => {
    const site = await openWithTrustedDocuments();

    const { body } = await send(`${site.url}/ready`);

    expect(body.trustedDocuments).toEqual({ files: 3, documents: 4, invalid: 0, bad: null });
  });

  it('is read again when it changes', async () => {
    const folder = openManifests();
    const site = await openWithTrustedDocuments({ folder });
    const asked = { documentId: sha256(OTHER) };
    expect((await post(site, asked)).codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);

    await write(folder, 'web-2.json', { [sha256(OTHER)]: OTHER });
    await expect.poll(async () => (await post(site, asked)).codes).toEqual([]);
    await rm(join(folder, 'web-2.json'));

    await expect
      .poll(async () => (await post(site, asked)).codes)
      .toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  it('can contain a manifest of operations by id, as written by @replit/graphql-codegen-persisted-queries', async () => {
    const folder = openFolder();
    await write(folder, 'web-1.json', {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: { [sha256(PAGE)]: { name: 'Page', type: 'query', body: PAGE } },
    });

    const site = await openWithTrustedDocuments({ folder });

    const asked = { documentId: sha256(PAGE), variables: VARIABLES };
    expect((await post(site, asked)).text).toBe(ANSWER);
  });

  it('can contain a file that starts with a byte order mark', async () => {
    const folder = openFolder();
    await write(folder, 'web-1.json', `\uFEFF${JSON.stringify({ [sha256(PAGE)]: PAGE })}`);

    const site = await openWithTrustedDocuments({ folder });

    const asked = { documentId: sha256(PAGE), variables: VARIABLES };
    expect((await post(site, asked)).codes).toEqual([]);
  });

  it.each<[fault: string, manifest: unknown, reason: RegExp]>([
    ['is cut', '{"0":"query', /JSON/],
    ['is empty', '', /JSON/],
    ['is a list', [PAGE], /apollo-persisted-query-manifest/],
    [
      'is of a later version',
      { format: 'apollo-persisted-query-manifest', version: 2, operations: [] },
      /\b1\b.*apollo-persisted-query-manifest/,
    ],
    [
      'contains a modified document',
      { [sha256(PAGE)]: `${PAGE} ` },
      new RegExp(`"${sha256(PAGE)}".*SHA-256`),
    ],
    [
      'reuses the id of another file for a different document',
      { 'topics-1': OTHER },
      /"topics-1".*ios-4\.2\.json/,
    ],
  ])(
    'is served unchanged while one of its files %s, which /ready and the log report',
    async (_, manifest, reason) => {
      const folder = openManifests();
      const logged: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line) => logged.push(line) });
      const site = await openWithTrustedDocuments({ folder }, { logger });
      const trusted = async () => (await send(`${site.url}/ready`)).body;

      await write(folder, 'android-1.json', { [sha256(OTHER)]: OTHER });
      await expect.poll(async () => (await trusted()).trustedDocuments.documents).toBe(5);
      await rm(join(folder, 'android-1.json'));
      await write(folder, 'web-1.json', manifest);
      await expect
        .poll(async () => (await trusted()).trustedDocuments.bad)
        .toEqual({ file: 'web-1.json', reason: expect.stringMatching(reason) });
      const { text } = await post(site, { documentId: sha256(PAGE), variables: VARIABLES });
      const { ready, degraded } = await trusted();
      await write(folder, 'web-1.json', { [sha256(PAGE)]: PAGE });

      expect(text).toBe(ANSWER);
      expect({ ready, degraded }).toEqual({ ready: true, degraded: true });
      // Other lines are possible, since a half-written file is bad in another way.
      expect(logged.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          file: 'web-1.json',
          reason: expect.stringMatching(reason),
        }),
      );
      await expect.poll(async () => (await trusted()).trustedDocuments.bad).toBeNull();
    },
  );

  it('is served as last read while it is missing', async () => {
    const folder = openManifests();
    const { trusted, bad } = await openStore(folder);

    await rm(folder, { recursive: true });
    await trusted.refresh();
    await trusted.refresh();
    await recreateFolder(folder);

    expect(bad()).toEqual([{ file: '.', reason: UNREADABLE }]);
    expect(trusted.report().documents).toBe(4);
    await trusted.refresh();
    expect(trusted.report()).toMatchObject({ documents: 1, bad: null });
  });

  it('reports an invalid file once, and a document that is invalid for the schema', async () => {
    const folder = openManifests();
    await write(folder, 'old-1.json', { gone: '{ pages { name } }' });
    const { trusted, bad, invalid } = await openStore(folder);

    await write(folder, 'bad-1.json', 'nothing');
    for (let i = 0; i < 3; i++) await trusted.refresh();

    expect(bad()).toEqual([{ file: 'bad-1.json', reason: INVALID_JSON }]);
    expect(invalid()).toEqual(['old-1.json gone']);
    expect(trusted.report()).toMatchObject({ documents: 5, invalid: 1 });
  });

  // Only root can take another user's rights for a moment.
  it.skipIf(process.geteuid?.() !== 0)(
    'is read again once an unreadable file becomes readable without a change',
    async () => {
      const folder = openManifests();
      await chmod(folder, 0o755);
      const { trusted, bad } = await openStore(folder);
      await write(folder, 'web-2.json', { [sha256(OTHER)]: OTHER });
      await chmod(join(folder, 'web-2.json'), 0o600);

      process.seteuid!('nobody');
      await trusted.refresh();
      await trusted.refresh();
      process.seteuid!('root');
      const before = trusted.report();
      await trusted.refresh();

      expect(bad()).toEqual([{ file: 'web-2.json', reason: UNREADABLE }]);
      expect(before).toMatchObject({ documents: 4, bad: bad()[0] });
      expect(trusted.report()).toMatchObject({ documents: 5, bad: null });
    },
  );

  it('is replaced atomically: a new file waits until an invalid file is fixed', async () => {
    const folder = openManifests();
    const { trusted, bad } = await openStore(folder);

    await write(folder, 'bad-1.json', 'nothing');
    await write(folder, 'web-2.json', { [sha256(OTHER)]: OTHER });
    await trusted.refresh();
    const before = trusted.report();
    await write(folder, 'bad-1.json', {});
    await trusted.refresh();

    expect(before).toEqual({
      files: 3,
      documents: 4,
      invalid: 0,
      bad: { file: 'bad-1.json', reason: INVALID_JSON },
    });
    expect(bad()).toHaveLength(1);
    expect(trusted.report()).toEqual({ files: 5, documents: 5, invalid: 0, bad: null });
  });

  it('fails to open when a file is invalid', async () => {
    const folder = openManifests();
    await write(folder, 'web-2.json', '{"0":"query');

    const opening = openStore(folder);

    await expect(opening).rejects.toThrow(TrustedDocumentsError);
    await expect(opening).rejects.toMatchObject({ bad: BAD_WEB_2 });
  });

  it('contains documents that are parsed and validated before the first request', async () => {
    const { trusted } = await openStore(openManifests());

    const found = trusted.find(TOPICS_ASKED);

    expect(found).toMatchObject({ syntax: { kind: 'Document' }, errors: [] });
  });
});

async function openStore(folder: string) {
  const { lines, logger } = openLog('warn');
  const documents = new Documents({ schema, introspection: 'on' });
  const trusted = new TrustedDocuments({ folder, only: false }, documents, logger);
  await trusted.open();
  onTestFinished(() => trusted.close());
  const linesOf = (level: number) => lines.filter((line) => line['level'] === level);
  return {
    trusted,
    documents,
    bad: () => linesOf(50).map(({ file, reason }) => ({ file, reason })),
    invalid: () => linesOf(40).map(({ file, id }) => `${file} ${id}`),
  };
}

async function recreateFolder(folder: string): Promise<void> {
  await mkdir(folder);
  await write(folder, 'web-1.json', { [sha256(PAGE)]: PAGE });
}
