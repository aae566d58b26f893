/**
 * T36 to T47: wrong and hostile requests are rejected with a code and a status, and without a call.
 */
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatCursor } from '../../src/graph/loading/cursor.ts';
import { List } from '../../src/graph/loading/list.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { planningContext } from '../../src/plan/cost.ts';
import '../../src/app/schema.ts'; // ids of its types can be read
import { routes } from '../../src/v0/routes.ts';
import { ok, text } from '../support/faults.ts';
import { KEY, type Reply } from '../support/gateway-process.ts';
import { sampleOf, world } from '../support/world.ts';
import { rawHttp } from './raw-http.ts';
import { openTestbed, type Testbed } from './testbed.ts';

let testbed: Testbed;
/** Without introspection and GraphiQL, in spite of NODE_ENV=development. */
let closed: Testbed;

beforeAll(async () => {
  [testbed, closed] = await Promise.all([
    openTestbed({}, { gauged: true }),
    openTestbed({
      NODE_ENV: 'development',
      INTROSPECTION: 'off',
      GRAPHIQL: 'off',
    }),
  ]);
});

afterEach(() => testbed.calm());

const graphql = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  testbed.gateway.post(body, { 'x-api-key': KEY, ...headers });

describe('the gateway', () => {
  it('T37 caches five hundred documents padded with comments in bounded memory', async () => {
    const padding = '#'.repeat(95_000);
    const fill = async (from: number) => {
      for (let i = from; i < from + 250; i += 20) {
        const some = Array.from({ length: 20 }, (_, j) =>
          graphql({ query: `{ a${i + j}: __typename }\n${padding}` }),
        );
        for (const { status } of await Promise.all(some)) expect(status).toBe(200);
      }
      return (await testbed.gateway.gauge()).heapBytes;
    };
    const before = (await testbed.gateway.gauge()).heapBytes;

    const half = await fill(0);
    const whole = await fill(250);

    expect(whole - before).toBeLessThan(150e6);
    expect(whole - half).toBeLessThan(20e6);
    await testbed.holds([], { hits: 0 });
  });

  it('T36 rejects a body that exceeds 100 KB, is compressed or exceeds its Content-Length, without buffering 50 MB', async () => {
    const rss = () => testbed.gateway.metric('process_resident_memory_bytes');
    const before = await rss();
    const head = (more: string) =>
      `POST /graphql HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;

    const long = await graphql({ query: '{ __typename }', pad: 'x'.repeat(101_000) });
    const promised = await rawHttp(testbed.gateway, head('content-length: 10000000000'));
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
    const chunked = await rawHttp(testbed.gateway, head('transfer-encoding: chunked'), {
      then: Array.from({ length: 800 }, () => chunk), // 50 MB
    });
    const zipped = await graphql('not gzip', { 'content-encoding': 'gzip' });
    const short = await rawHttp(
      testbed.gateway,
      `${head('content-length: 10')}{"query":"{ __typename }"}`,
    );

    expect([long.status, promised.status, chunked.status, zipped.status]).toEqual([
      413, 413, 413, 415,
    ]);
    expect([long.codes, zipped.codes]).toEqual([['BODY_TOO_LARGE'], ['UNSUPPORTED_MEDIA_TYPE']]);
    expect(chunked.closed && promised.closed).toBe(true);
    // Longer than its content-length: the part up to it is rejected, and then the rest.
    expect(short.status).toBe(400);
    expect((await rss()) - before).toBeLessThan(50e6);
    await testbed.holds([long, zipped], { hits: 0 });
  });

  it('T38 uses the last value of a duplicate variable and ignores undeclared variables', async () => {
    const reply = await graphql(
      '{ "query": "query ($id: ID!) { person(personId: $id) { personId } }", "variables": { "id": "one", "id": "two", "spare": 1 } }',
    );

    expect(reply.data).toEqual({ person: { personId: 'two' } });
    await testbed.holds(reply, { hits: 1 });
  });
});

/** Asks `node(id:)` with the id as a variable, because a document cannot hold a lone surrogate. */
const askNode = (id: string) =>
  graphql({ query: 'query ($id: ID!) { node(id: $id) { id } }', variables: { id } });

const UUID = '0190a6c2-7b1e-7cc3-98c4-dc0c0c07398f';

/** Any strings, and those of the alphabet of ids and cursors. */
const random = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.base64String({ maxLength: 200 }),
);

/** An id or a cursor with one bit of its bytes changed. */
const flippedIn = (text: string): fc.Arbitrary<string> => {
  const bytes = Buffer.from(text, 'base64url');
  return fc.nat({ max: 8 * bytes.length - 1 }).map((bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    return changed.toString('base64url');
  });
};

/** Its first characters alone. */
const cutFrom = (text: string): fc.Arbitrary<string> =>
  fc.nat({ max: text.length - 1 }).map((length) => text.slice(0, length));

/** One with other characters in it, instead of one of its own characters or next to it: those that decoders of base64 skip, too. */
const alteredIn = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.nat({ max: text.length }),
      removed: fc.nat({ max: 1 }),
      put: fc.oneof(
        fc.constantFrom('=', '!', '*', ' ', '\n', '\u0000', '.', 'é'),
        fc.base64String({ minLength: 1, maxLength: 4 }),
      ),
    })
    .map(({ at, removed, put }) => text.slice(0, at) + put + text.slice(at + removed));

const base64 = (bytes: string): string => Buffer.from(bytes).toString('base64');

describe('T40 global ids', () => {
  const real = formatNodeId('AudienceVersion', ['p', 'a', 'v']);
  const FORGED = [
    '!!!',
    '',
    ' ',
    base64('Person:1'),
    base64('Nothing:1'),
    base64('__proto__:1'),
    base64('Topic:../x'),
    Buffer.from('Person["p"]').toString('base64url'),
    formatNodeId('Nothing', ['1']),
    formatNodeId('__proto__', ['1']),
    formatNodeId('constructor', ['1']),
    formatNodeId('Query', ['1']),
    formatNodeId('AudienceVersion', ['p', 'a']),
    formatNodeId('AudienceVersion', ['p', 'a', 'v', 'x']),
    formatNodeId('Person', []),
    forged('a', ''),
    forged('aa', '..'),
    forged('aaaa', 'a\r\nb'),
    forged('x'.repeat(512), 'x'.repeat(600)),
    real.slice(0, -1),
    real.slice(1),
    `${real}=`,
    `${real}==`,
    `${real}!`,
    `${real.slice(0, 7)}*${real.slice(7)}`,
    `${real.slice(0, 7)}\n${real.slice(7)}`,
    Buffer.from(real, 'base64url')
      .toString('base64')
      .padEnd(real.length + 1, '='),
    ` ${real}`,
    `${real}A`,
    real.toUpperCase(),
    '🙂',
    'x'.repeat(10_240),
    '\u0000',
    '\ud800',
  ];

  it('T40 rejects forged and malformed ids without a REST call', async () => {
    const replies: Reply[] = [];
    for (const id of FORGED) {
      const reply = await askNode(id);
      expect(reply.codes, id.slice(0, 40)).toEqual(['BAD_USER_INPUT']);
      replies.push(reply);
    }

    await testbed.holds(replies, { hits: 0 });
  });

  it('T40 rejects random ids, and ids with a flipped bit or changed characters, without a REST call', async () => {
    const id = formatNodeId('AudienceVersion', [UUID, UUID, 'v']);
    const replies: Reply[] = [];
    await fc.assert(
      fc.asyncProperty(fc.oneof(random, flippedIn(id), cutFrom(id), alteredIn(id)), async (one) => {
        fc.pre(one !== id);
        const reply = await askNode(one);
        expect(reply.codes).toEqual(['BAD_USER_INPUT']);
        replies.push(reply);
      }),
      { numRuns: 600 },
    );

    await testbed.holds(replies, { hits: 0 });
  });
});

describe('T41 cursors', () => {
  const cursorOf = async (selection: string): Promise<string> => {
    const { data } = await testbed.ask(`{ ${selection} { edges { cursor } } }`);
    return Object.values<any>(data)[0].edges[0].cursor as string;
  };

  it('T41 rejects a cursor that is modified or belongs to another list, parent or filter', async () => {
    const cursor = await cursorOf('topics(first: 1)');
    const ofAccounts = await cursorOf('accounts(query: "a", first: 1)');
    const { data } = await testbed.ask(
      '{ page(pageId: "a") { audiences(first: 1) { edges { cursor } } } }',
    );
    const ofPage = data.page.audiences.edges[0].cursor as string;
    await testbed.calm();
    const after: readonly string[] = [
      `persons(after: "${cursor}")`,
      `topics(after: "${ofAccounts}")`,
      `accounts(query: "b", after: "${ofAccounts}")`,
      `accounts(after: "${ofAccounts}")`,
      `topics(after: "${cursor.slice(0, -1)}")`,
      `topics(after: "${cursor}A")`,
      `topics(after: "${cursor}=")`,
      `topics(after: "${cursor}!")`,
      `topics(after: " ${cursor}")`,
      `topics(after: "${cursor.slice(0, 7)}*${cursor.slice(7)}")`,
      `topics(after: "${cursor.slice(0, 7)}\\n${cursor.slice(7)}")`,
      `topics(after: "${cursor.slice(0, 12)}B${cursor.slice(13)}")`,
      'topics(after: "")',
      'topics(after: "garbage")',
      'topics(after: "🙂")',
      `topics(after: "${'x'.repeat(10_000)}")`,
    ];

    const replies: Reply[] = [];
    for (const field of after) {
      const reply = await testbed.ask(`{ ${field} { totalCount } }`);
      expect(reply.codes, field.slice(0, 60)).toEqual(['BAD_USER_INPUT']);
      replies.push(reply);
    }

    await testbed.holds(replies, { hits: 0 });

    // A wrong cursor fails its list alone: the name of the page needs none.
    const parent = await testbed.ask(
      `{ page(pageId: "b") { name audiences(after: "${ofPage}") { totalCount } } }`,
    );
    expect(parent.data).toEqual({ page: { name: 'name', audiences: null } });
    expect(parent.codes).toEqual(['BAD_USER_INPUT']);
    await testbed.holds(parent, { hits: 1 });
  });

  it('T41 rejects random cursors, and cursors with a flipped bit or changed characters, without a REST call', async () => {
    const cursor = await cursorOf('topics(first: 1)');
    await testbed.calm();
    const replies: Reply[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(random, flippedIn(cursor), cutFrom(cursor), alteredIn(cursor)),
        async (after) => {
          fc.pre(after !== cursor);
          const reply = await graphql({
            query: 'query ($after: String) { topics(after: $after) { totalCount } }',
            variables: { after },
          });
          expect(reply.codes).toEqual(['BAD_USER_INPUT']);
          replies.push(reply);
        },
      ),
      { numRuns: 400 },
    );

    await testbed.holds(replies, { hits: 0 });
  });

  it('T41 accepts a cursor issued to another API key and reads with the key of the request', async () => {
    const cursor = await cursorOf('topics(first: 1)');
    await testbed.calm();

    const reply = await testbed.ask(`{ topics(after: "${cursor}") { totalCount } }`, {
      apiKey: 'rotated',
    });

    expect(reply.data).toEqual({ topics: { totalCount: 2 } });
    expect(testbed.upstream.seen.at(-1)?.headers['x-api-key']).toBe('rotated');
  });

  it('T41 rejects a cursor with a made-up position and a valid checksum', async () => {
    const replies: Reply[] = [];
    const listId = List.of(planningContext('extended'), routes.listTopics, {}).id;
    for (const position of ['', 'x', '-1', '1.5', '1e9', '9999999', '[7,null]', '7:', ':abc']) {
      const reply = await testbed.ask(
        `{ topics(after: "${formatCursor(listId, position)}") { totalCount } }`,
      );
      expect(reply.codes, position).toEqual(['BAD_USER_INPUT']);
      replies.push(reply);
    }

    await testbed.holds(replies, { hits: 0 });
  });
});

describe('T43 long strings', () => {
  /** Each with the calls that are made for its parent. */
  const fields: readonly (readonly [string, number])[] = [
    ['accounts(query: $text) { totalCount }', 0],
    ['searchPages(query: $text) { name }', 0],
    ['pageLinks(path: $text) { totalCount }', 0],
    ['pageLinks(tenantDomainId: $id) { totalCount }', 0],
    ['page(pageId: "p") { links(path: $text) { totalCount } }', 1],
    ['audience(pageId: "p", audienceId: "a") { links(tenantDomainId: $id) { totalCount } }', 1],
  ];
  const askWith = (field: string, text: string): Promise<Reply> => {
    const [, name] = /\$(\w+)/.exec(field)!;
    const type = name === 'id' ? 'ID' : 'String';
    return graphql({
      query: `query ($${name}: ${type}) { field: ${field} }`,
      variables: { [name!]: text },
    });
  };

  it.each(fields)(
    'T43 rejects 20,000 characters without requesting the list: %s',
    async (field, ofParent) => {
      const replies: Reply[] = [];
      // 1,000 letters of three bytes each take 9,000 octets of a URL.
      for (const text of ['x'.repeat(20_000), 'x'.repeat(7_001), '語'.repeat(1_000)]) {
        const reply = await askWith(field, text);
        expect(reply.codes).toEqual(['BAD_USER_INPUT']);
        expect(reply.errors[0].message).toMatch(/\b7000 octets\b.*\b\d+/);
        replies.push(reply);
      }

      await testbed.holds(replies, { hits: ofParent * replies.length });
    },
  );

  it('T43 forwards 7,000 characters', async () => {
    const text = 'x'.repeat(7_000);

    const reply = await askWith('accounts(query: $text) { totalCount }', text);

    expect(reply.codes).toEqual([]);
    await testbed.holds(reply, { hits: 1 });
    expect(testbed.upstream.seen.at(-1)?.target).toContain(`query=${text}`);
  });
});

describe('T42, T43 paths and queries', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(
      '.',
      '..',
      '...',
      '%2e%2e',
      '../accounts',
      'a/b',
      'a?x=1',
      'a#b',
      'a\\b',
      '//evil',
      'a;b',
      '\r\nx: y',
      ' ',
      '',
      '\u0000',
      '\ud800',
      '$&',
      '$1',
      '__proto__',
      'search',
      'x'.repeat(512),
      'x'.repeat(513),
    ),
    fc
      .array(fc.constantFrom('.', '/', '%', '2e', '&', '=', '#', '?', 'a', '[', ']', '\udc00'))
      .map((all) => all.join('')),
  );
  /** Whether an id may be sent as a segment of a path. */
  const isSegment = (id: string): boolean =>
    !['', '.', '..'].includes(id) && id.length <= 512 && id.isWellFormed() && !/\p{Cc}/u.test(id);
  /** `/v0/pages/search` is another route. */
  const isPageId = (id: string): boolean => isSegment(id) && id !== 'search';
  const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

  it('T42, T43 contain each of three hundred random ids, search terms and cursors as one segment or one parameter', async () => {
    const replies: Reply[] = [];
    let called = 0;
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (id, other, query) => {
        const list = sampleOf(routes.listTopics);
        testbed.upstream.on(
          'GET /v0/topics',
          ok({ ...list, hasMore: true, nextCursor: `c${query}` }),
          ok({ ...list, hasMore: false, nextCursor: null }),
        );
        const before = testbed.upstream.seen.length;
        const reply = await graphql({
          query: `query ($id: ID!, $other: ID!, $query: String) {
            person(personId: $id) { name }
            audienceVersion(pageId: $other, audienceId: $id, versionId: $other) { versionNumber }
            accounts(query: $query, first: 3) { totalCount }
            links: pageLinks(path: $query, pageId: $id, first: 7) { totalCount }
            topics(first: 4) { nodes { title } }
          }`,
          variables: { id, other, query },
        });
        const seen = testbed.upstream.seen.slice(before);
        called += seen.length;
        replies.push(reply);
        const expected = [
          ...(isSegment(id) ? [`/v0/persons/${encoded(id)}`] : []),
          ...(isSegment(id) && isPageId(other)
            ? [`/v0/pages/${encoded(other)}/audiences/${encoded(id)}/versions/${encoded(other)}`]
            : []),
          ...(isPageId(id)
            ? [`/v0/page_links?pageId=${encoded(id)}&path=${encoded(query)}&limit=7`]
            : []),
          `/v0/accounts/search?query=${encoded(query)}&limit=3`,
          '/v0/topics?limit=4',
          `/v0/topics?limit=2&cursor=c${encoded(query)}`,
        ];
        expect(seen.map(({ target }) => target).sort()).toEqual(expected.sort());
        expect(new Set(seen.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([KEY]));
      }),
      { numRuns: 300 },
    );

    testbed.upstream.on('GET /v0/topics', world());
    await testbed.holds(replies, { hits: called });
  });
});

describe('T44 header values', () => {
  it('T44 rejects an API key that is empty, malformed, repeated or too long, without a REST call and without revealing the key', async () => {
    const body = JSON.stringify({ query: '{ person(personId: "p") { name } }' });
    const withKeys = (...lines: string[]) =>
      rawHttp(
        testbed.gateway,
        `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`,
      );
    const secret = 'SECRET-KEY-THAT-LEAKS';

    const refused = [
      await withKeys('x-api-key: '),
      await withKeys(`x-api-key: ${secret} ${secret}`),
      await withKeys(`x-api-key: ${secret}`, `x-api-key: ${secret}2`),
      await withKeys(`x-api-key: ${secret}\u00e9`),
      await withKeys(`x-api-key: ${secret}\u00d0\u00ba`), // a letter past Latin-1, as UTF-8
      await withKeys(`x-api-key: ${secret}\u0007`),
      await withKeys(`x-api-key: ${secret.repeat(100)}`),
      await withKeys(`x-api-key: ${secret.repeat(1_000)}`), // 20 KB
      await withKeys(),
    ];

    expect(refused.map(({ status }) => status)).toEqual([
      401, 401, 401, 401, 401, 400, 401, 431, 401,
    ]);
    expect(refused.at(-1)?.text).toContain('UNAUTHENTICATED');
    const metrics = await testbed.gateway.get('/metrics');
    for (const { text: shown } of [...refused, metrics]) expect(shown).not.toContain(secret);
    expect(testbed.gateway.output).not.toContain(secret);
    await testbed.holds([], { hits: 0 });
  });

  it('T44 replaces an x-request-id that has invalid characters', async () => {
    const reply = await graphql(
      { query: '{ person(personId: "p") { name } }' },
      { 'x-request-id': 'a b; c="\t"' },
    );

    expect(testbed.upstream.seen.at(-1)?.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    await testbed.holds(reply, { hits: 1 });
  });
});

describe('T45 names of JavaScript prototypes', () => {
  it('T45 forwards __proto__ and constructor as data and leaves later responses unchanged', async () => {
    const payload =
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"a":[{"__proto__":[]}]}';
    const log = JSON.stringify(
      sampleOf(routes.getPersonLog, { person_id: 'x', person_log_id: 'y' }),
    );
    testbed.upstream.on(
      'GET /v0/persons/x/logs/y',
      text(log.replace('"payload":{"any":"thing"}', () => `"payload":${payload}`)),
    );
    const id = formatNodeId('PersonLog', ['x', 'y']);

    const reply = await graphql(
      `{ "query": "query ($id: ID!) { __proto__: node(id: $id) { ... on PersonLog { payload } } }", "variables": { "id": "${id}", "__proto__": { "polluted": true }, "constructor": 1 }, "__proto__": { "polluted": true } }`,
    );

    expect(reply.text).toBe(`{"data":{"__proto__":{"payload":${payload}}}}`);
    await testbed.holds(reply, { hits: 1 });
    const after = await testbed.ask('{ topic(topicId: "t") { title } }');
    expect(after.text).toBe('{"data":{"topic":{"title":"title"}}}');
    await testbed.holds(after, { hits: 1 });
  });

  it('T45 rejects unknown fields, operations and hashes with those names', async () => {
    const replies = [
      await testbed.ask('{ __proto__ { id } }'),
      await testbed.ask('{ constructor }'),
      await graphql({ query: '{ __typename }', operationName: '__proto__' }),
      await graphql({
        extensions: { persistedQuery: { version: 1, sha256Hash: '__proto__' } },
      }),
      await graphql({
        query: 'mutation { updateTopic(input: { id: "x", __proto__: 1 }) { topic { id } } }',
      }),
    ];

    // A hash without a query string is rejected with 200, as Apollo's clients expect.
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 200, 400]);
    expect(replies[3]?.codes).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
    await testbed.holds(replies.toSpliced(3, 1), { hits: 0 });
  });
});

describe('T46 Unicode', () => {
  it.each([
    ['composed', '\u00e9'],
    ['decomposed', 'e\u0301'],
    ['right to left', '\u05e9\u05dc\u05d5\u05dd\u202e!'],
    ['four bytes', '👩‍🚀🦄'],
    ['quotes and slashes', '"\\/\b\f\n\r\t'],
    ['NUL', 'a\u0000b'],
    ['line separators', '\u2028\u2029'],
  ])('T46 round-trips a title through the backend unchanged: %s', async (_name, title) => {
    testbed.upstream.on('PATCH /v0/topics/t', (response, seen, socket) =>
      ok({ ...sampleOf(routes.getTopic, { topic_id: 't' }), ...JSON.parse(seen.body) })(
        response,
        seen,
        socket,
      ),
    );

    const reply = await graphql({
      query:
        'mutation ($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } } }',
      variables: { input: { id: formatNodeId('Topic', ['t']), title } },
    });

    expect(JSON.parse(testbed.upstream.seen.at(-1)!.body)).toEqual({ title });
    expect(reply.data).toEqual({ updateTopic: { topic: { title } } });
    await testbed.holds(reply, { hits: 1 });
  });
});

describe('T47 disclosure', () => {
  it('T47 hides the schema, suggestions, GraphiQL and stack traces when they are disabled, even with NODE_ENV=development', async () => {
    const schemaAsked = await closed.ask('{ __schema { types { name } } }');
    const guess = await closed.ask('{ persn }');
    const page = await fetch(`${closed.gateway.url}/graphql`, { headers: { accept: 'text/html' } });
    closed.upstream.on('GET /v0/persons/p', text('<html>secret upstream text</html>', 'text/html'));
    const failed = await closed.ask('{ person(personId: "p") { name } }');

    expect(schemaAsked.status).toBe(400);
    expect(guess.text).not.toMatch(/did you mean/i);
    expect(page.status).toBe(404);
    expect(await page.text()).toMatch(/^[^{}]*GRAPHIQL=off[^{}]*$/);
    expect(failed.codes).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(Object.keys(failed.errors[0].extensions).sort()).toEqual(['code', 'upstream']);
    await closed.holds([schemaAsked, guess, failed], { hits: 1 });
  });
});

/** The global id of a person with another raw id, which the gateway would not hand out; its checksum is right. */
function forged(valid: string, raw: string): string {
  const bytes = Buffer.from(formatNodeId('Person', [valid]), 'base64url');
  const start = bytes.length - valid.length;
  const head = Buffer.from(bytes.subarray(4, start));
  // The length comes before the text: one more in a byte, or in two.
  if (raw.length < 128) head[head.length - 1] = raw.length + 1;
  else head.writeUInt16BE(raw.length, head.length - 2);
  const signed = Buffer.concat([head, Buffer.from(raw)]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(signed));
  return Buffer.concat([checksum, signed]).toString('base64url');
}
