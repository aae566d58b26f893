/**
 * T71 and T76: the embedded backend responds to or rejects every request as documented; when it fails itself, the log
 * has the route and a code, and no data of the caller; and its database is one file, which is rejected at the start
 * when it cannot be used.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@libsql/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorBody } from '../../src/v0/error.ts';
import { routes, type RouteName } from '../../src/v0/routes.ts';
import { callerOf, shareTestBackend, temporaryDatabase } from '../backend/support.ts';
import { clientOf } from '../support/client.ts';
import { openFolder } from '../support/folder.ts';
import { startGateway, startProcess, type GatewayProcess } from '../support/gateway-process.ts';
import { buildGateway } from '../support/gateway-build.ts';

/** The command that starts the gateway. */
const START = [process.execPath, await buildGateway()];

const failures: unknown[] = [];
const backend = shareTestBackend({ onFailure: (failure) => failures.push(failure) });

const cursorWith = (part: string) => Buffer.from(part).toString('base64url');

/** A cursor of the list of topics, with another sort key in it. */
async function forgedCursor(key: string): Promise<string> {
  const { body } = await backend.call('/v0/topics?limit=1');
  const [, fingerprint] = body.nextCursor.split('.');
  return `${cursorWith(`[${key},"topic_01"]`)}.${fingerprint}`;
}

describe('the sample data', () => {
  /** Starts a gateway in a folder, does some work with it, and stops it. */
  async function inFolder<Result>(
    cwd: string,
    work: (gateway: GatewayProcess) => Promise<Result>,
    databaseUrl = '',
  ): Promise<Result> {
    const gateway = await startGateway({ BACKEND_DATABASE_URL: databaseUrl }, { cwd });
    const result = await work(gateway);
    await gateway.stop();
    return result;
  }

  const topicOf = async ({ ask }: GatewayProcess) =>
    (await ask('{ topic(topicId: "topic_01") { id title } }', { apiKey: 'demo' })).data.topic;
  const titleOf = async (gateway: GatewayProcess) => (await topicOf(gateway)).title;

  const rename = async (gateway: GatewayProcess) => {
    const { id } = await topicOf(gateway);
    const { errors } = await gateway.ask(
      'mutation ($id: ID!) { updateTopic(input: { id: $id, title: "New" }) { topic { title } } }',
      { apiKey: 'demo', variables: { id } },
    );
    expect(errors).toEqual([]);
  };

  it('is stored in .data and re-created when that folder is deleted, as documented in README', async () => {
    const folder = openFolder();
    const first = await inFolder(folder, titleOf);

    await inFolder(folder, rename);
    const later = await inFolder(folder, titleOf);
    const files = readdirSync(join(folder, '.data'));
    rmSync(join(folder, '.data'), { recursive: true });
    const anew = await inFolder(folder, titleOf);

    expect([first, later, anew]).toEqual(['Pricing at a glance', 'New', 'Pricing at a glance']);
    expect(files).toContain('backend.db');
  });

  it('is lost on restart with BACKEND_DATABASE_URL=:memory:, as documented in README', async () => {
    const folder = openFolder();
    await inFolder(
      folder,
      async (gateway) => {
        await rename(gateway);
        expect(await titleOf(gateway)).toBe('New');
      },
      ':memory:',
    );

    expect(await inFolder(folder, titleOf, ':memory:')).toBe('Pricing at a glance');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('T71 the embedded backend', () => {
  it.each([
    ['/v0/pages/search?query=', Array(1_000).fill('a').join('%20'), 'query'],
    ['/v0/pages/search?query=', Array(33).fill('a').join('%20'), 'query'],
    ['/v0/accounts/search?query=', 'a'.repeat(2_001), 'query'],
    ['/v0/page_links?path=', `/${'a'.repeat(2_000)}`, 'path'],
    ['/v0/topics?limit=', '1'.repeat(5_000), 'limit'],
  ])('T71 rejects a value that is too long: %s', async (path, value, field) => {
    const { status, body } = await backend.call(path + value);

    expect([status, body.code, body.details.field]).toEqual([400, 'bad_request', field]);
    expect(ErrorBody.parse(body)).toEqual(body);
    expect(body.message.length).toBeLessThan(200);
  });

  it.each(['1e999', '-1e999', 'null', '[]', '"text"', '{}'])(
    'T71 rejects a cursor that contains %s',
    async (key) => {
      const { status, body } = await backend.call(`/v0/topics?cursor=${await forgedCursor(key)}`);

      expect([status, body.code, body.details.field]).toEqual([400, 'bad_request', 'cursor']);
    },
  );

  it('T71 accepts a search with the maximum of 32 words', async () => {
    const words = Array.from({ length: 32 }, (_, i) => 'abcdefgh'[i % 8]).join('%20');

    expect((await backend.call(`/v0/pages/search?query=${words}`)).status).toBe(200);
  });

  it.each(Object.keys(routes) as RouteName[])(
    'T71 never returns 5xx for random requests to %s',
    async (name) => {
      const { method, path, query, body } = routes[name] as (typeof routes)['listTopics'];
      const shape = Object.keys(query?.shape ?? {});
      const wild = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom(
          '1e999',
          '-1',
          '9007199254740993',
          "'; --",
          '\0',
          '\ud800',
          'true',
          '',
          ...RAW,
        ),
        fc.json().map(cursorWith),
        fc.string({ minLength: 2_500, maxLength: 3_000 }),
      );
      const request = fc.record({
        parameters: fc.array(fc.oneof(fc.constantFrom(...IDS), wild), {
          minLength: 3,
          maxLength: 3,
        }),
        query: fc.record(Object.fromEntries(shape.map((field) => [field, wild])), {
          requiredKeys: [],
        }),
        body: bodyOf(name),
      });

      await fc.assert(
        fc.asyncProperty(request, async ({ parameters, query, ...sent }) => {
          let parameter = 0;
          const filled = path.replaceAll(
            /\{\w+\}/g,
            () => encode(parameters[parameter++]!) || '%00',
          );
          const search = Object.entries(query).map(
            ([field, value]) => `${field}=${encode(value!)}`,
          );
          const target = `${filled}?${search.join('&').slice(0, 9_000)}`;
          // Node's server itself rejects heads of more than 16 KB, without a body.
          fc.pre(target.length < 15_000);
          const answer = await backend.call(target, {
            method,
            ...(body && { body: sent.body }),
          });

          expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
          if (answer.status >= 400) expect(ErrorBody.parse(answer.body)).toEqual(answer.body);
        }),
        { numRuns: 30 },
      );
      expect(failures).toEqual([]);
    },
  );

  it('T71 logs an internal error with the route and a code, without request data', async () => {
    const databaseUrl = temporaryDatabase();
    const product = startProcess({ BACKEND_DATABASE_URL: databaseUrl });
    await product.ready();
    const [url] = /http:\/\/[\d.:]+(?=\/v0\/openapi)/.exec(product.stdout) ?? [];
    const client = createClient({ url: databaseUrl });
    await client.execute('DROP TABLE pages');
    client.close();

    const answer = await callerOf(url!)('/v0/pages', {
      method: 'POST',
      body: {
        actions: [],
        actionCardWidgets: [],
        brandId: 'brand',
        name: 'a word of the caller',
        pageContext: 'x'.repeat(900_000),
        scripts: [],
      },
    });

    expect([answer.status, answer.body.code]).toEqual([500, 'internal_error']);
    await expect.poll(() => product.stdout).toContain('backend failed');
    const lines = product.stdout.split('\n').filter((line) => line.includes('backend failed'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ route: 'POST /v0/pages', code: 'SQLITE_ERROR' }),
    ]);
    expect(lines[0]!.length).toBeLessThan(500);
    expect(product.stdout + product.stderr).not.toContain('a word of the caller');
  });
});

/** Ids that exist, so that some requests come further than to a 404. */
const IDS = [
  'page_northwind',
  'audience_northwind_01',
  'topic_01',
  'account_harborlight_logistics',
];

/** Encodes a string, except those that are sent with their invalid percent signs. */
const encode = (text: string): string =>
  RAW.includes(text) ? text : encodeURIComponent(text.toWellFormed());

const RAW = ['%', '%E0%A4%A', '%2e%2e', '%00', '%ed%a0%80'];

/** Bodies that are valid except for a part. */
function bodyOf(name: RouteName): fc.Arbitrary<unknown> {
  const wild = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }));
  const texts = fc.record(
    Object.fromEntries(TEXT_FIELDS.map((field) => [field, fc.oneof(fc.string(), wild)])),
    { requiredKeys: [] },
  );
  const lists = fc.record({
    actions: fc.array(wild, { maxLength: 2 }),
    actionCardWidgets: fc.constantFrom([], [{}], [{ logos: [{ image: {} }] }]),
    scripts: fc.constantFrom([], [{ content: '\0' }], [{ enabled: true }]),
    brandId: fc.string(),
    name: fc.string({ unit: 'binary' }),
    pageContext: fc.string(),
  });
  if (name === 'createPage') return fc.oneof(lists, wild);
  return fc.oneof(texts, wild);
}

const TEXT_FIELDS = [
  'publishBehavior',
  'actionUrlOverride',
  'customName',
  'metadataOverride',
  'supplementaryContext',
  'operationKey',
  'title',
  'sortOrder',
  'content',
];

describe('T76 the database of the embedded backend', () => {
  /** By another process: libSQL's client keeps a file open for a while after it was closed. */
  const make = async (databaseUrl: string): Promise<void> => {
    const product = startProcess({ BACKEND_DATABASE_URL: databaseUrl });
    await product.ready();
    product.process.kill('SIGTERM');
    await product.exit();
  };

  it('T76 is complete in its file after a graceful shutdown', async () => {
    const databaseUrl = temporaryDatabase();
    const file = databaseUrl.slice('file:'.length);
    const product = startProcess({ BACKEND_DATABASE_URL: databaseUrl });
    const { origin } = new URL(await product.ready());
    const written = await clientOf(origin, 'demo').ask(
      'mutation { createTopicEntry(input: { topicId: "topic_02", content: { type: "text", content: "Written last" } }) { topicEntry { topicEntryId } } }',
    );

    product.process.kill('SIGTERM');
    const exit = await product.exit();
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    const client = createClient({ url: `file:${copy}` });
    const { rows } = await client.execute('SELECT topic_entry_id AS id FROM topic_entries');
    client.close();

    expect(exit).toBe(0);
    const { topicEntryId } = written.body.data.createTopicEntry.topicEntry;
    expect(rows.map(({ id }) => id)).toContain(topicEntryId);
  });

  // A limit on the size of files holds for root too; permissions do not.
  it.runIf(process.platform === 'linux')(
    'T76 is rejected with a one-line message when it cannot be written',
    async () => {
      const databaseUrl = temporaryDatabase();
      await make(databaseUrl);

      const { stderr, status } = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...START], {
        env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: databaseUrl },
        encoding: 'utf8',
        timeout: 20_000,
      });

      expect(stderr).toMatch(/^.* file:\S+: [^\n"()]+ .+\n$/);
      expect(stderr).not.toMatch(/ConnectionFailed|SQLITE_/);
      expect(status).toBe(1);
    },
  );

  it.runIf(process.platform === 'linux')(
    'T76 is rejected with a one-line message when it is read-only for the user',
    async ({ skip }) => {
      const databaseUrl = temporaryDatabase();
      const file = databaseUrl.slice('file:'.length);
      await make(databaseUrl);
      for (const name of [dirname(dirname(file)), dirname(file)]) chmodSync(name, 0o755);
      for (const name of readdirSync(dirname(file))) chmodSync(join(dirname(file), name), 0o444);
      // Root may write whatever the permissions are, and becomes another user for this.
      const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const read = spawnSync('cat', [START[1]!], { ...nobody });
      if (read.status !== 0) skip('another user cannot read the gateway here');

      const { stderr, status } = spawnSync(START[0]!, START.slice(1), {
        ...nobody,
        env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: databaseUrl },
        encoding: 'utf8',
        timeout: 20_000,
      });

      expect(stderr).toMatch(/^.*: .*read-only.*\n$/);
      expect(stderr).toContain(` ${databaseUrl}: `);
      expect(status).toBe(1);
    },
  );

  it('T76 is rejected with a one-line message when it cannot be opened', async () => {
    const product = startProcess({ BACKEND_DATABASE_URL: 'file:/proc/version/backend.db' });
    const folder = startProcess({ BACKEND_DATABASE_URL: `file:${tmpdir()}` });

    expect([await product.exit(), await folder.exit()]).toEqual([1, 1]);
    expect(product.stderr).toMatch(/^.* file:\/proc\/version\/backend.db: .+\n$/);
    expect(folder.stderr).toMatch(/^.*: .*folder.*\n$/);
    expect(folder.stderr).toContain(` file:${tmpdir()}: `);
  });
});
