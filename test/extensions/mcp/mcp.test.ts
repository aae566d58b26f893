/**
 * Agents at `/mcp`: the official client, in the old protocol and the new, in front of the real gateway and its backend.
 */
import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMcp } from '../../../src/extensions/mcp/mcp.extension.ts';
import { formatNodeId } from '../../../src/graph/types/node-id.ts';
import { openFolder } from '../../support/folder.ts';
import { send } from '../../support/client.ts';
import { IDS } from '../../support/ids.ts';
import { reset } from '../../support/faults.ts';
import { openGateway, type InProcessOptions, type WithFaults } from '../../support/open-gateway.ts';

const FIND_PAGES = `
# Finds pages by words of their names.
# The best matches come first.
query FindPages(
  # Words to look for.
  $query: String!
  $first: Int = 5
) {
  searchPages(query: $query, first: $first) { pageId name }
}`;

const READ_AUDIENCES = `
# Reads a page's audiences and their versions.
query ReadAudiences($pageId: ID!, $first: Int = 20) {
  page(pageId: $pageId) {
    name
    audiences(first: $first) {
      nodes { id effectiveName status person { name } latestVersion { ...Version } }
    }
  }
}
fragment Version on AudienceVersion { id status }`;

const PUBLISH = `
# Publishes a version, and waits until it is published.
mutation PublishVersion($id: ID!, $timeoutMs: Int = 8000) {
  publishAudienceVersion(input: { id: $id, waitFor: published, timeoutMs: $timeoutMs }) {
    reached
    audienceVersion { id status publishedAt }
    userErrors { message }
  }
}`;

const VERSION_STATUS = `
# Says how far the publishing of a version has come.
query VersionStatus($id: ID!) {
  node(id: $id) { __typename id ... on AudienceVersion { status publishedAt } }
}`;

const DOCUMENTS = [FIND_PAGES, READ_AUDIENCES, PUBLISH, VERSION_STATUS];

const manifestOf = (documents: readonly string[]): string =>
  JSON.stringify(
    Object.fromEntries(
      documents.map((text) => [createHash('sha256').update(text).digest('hex'), text]),
    ),
  );

const folderOf = (manifests: Readonly<Record<string, readonly string[]>>): string =>
  openFolder(
    Object.fromEntries(
      Object.entries(manifests).map(([name, documents]) => [name, manifestOf(documents)]),
    ),
  );

const FOLDER = folderOf({ 'agents-1.json': DOCUMENTS });

const openOwn = (options: InProcessOptions = {}, folder = FOLDER) =>
  openGateway({
    ...options,
    http: { allowedHosts: ['127.0.0.1'], ...options.http },
    extensions: [{ routes: (core) => ({ '/mcp': createMcp(folder, '1', core) }) }],
  });

let plain: ReturnType<typeof openOwn> | undefined;

const SEND_STRINGS = `query SendStrings($ids: [ID!]!, $first: Int!, $query: String!) {
  nodes(ids: $ids) { id } topics(first: $first) { nodes { id } } searchPages(query: $query) { name }
}`;

/** Without options, the gateway that all such tests share. */
async function open(options?: InProcessOptions, folder?: string) {
  if (options) return openOwn(options, folder);
  const site = await (plain ??= openOwn());
  site.restCalls.length = 0;
  return site;
}

interface AgentOptions {
  readonly apiKey?: string;
  readonly mode?: 'auto' | 'legacy';
}

/** The official client; with several gateways, each request goes to the next one. */
async function connect(
  urls: readonly string[],
  { apiKey = 'demo', mode = 'auto' }: AgentOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  let turn = 0;
  const transport = new StreamableHTTPClientTransport(new URL(`${urls[0]}/mcp`), {
    requestInit: { headers: { 'x-api-key': apiKey } },
    fetch: (_url, init) => fetch(`${urls[turn++ % urls.length]}/mcp`, init),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const call = async (client: Client, name: string, given: Record<string, unknown>): Promise<any> =>
  client.callTool({ name, arguments: given });

const postRaw = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  send(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe.each(['auto', 'legacy'] as const)('an agent in protocol mode %s', (mode) => {
  it('lists a tool for each document, with its description, arguments, annotations and cost', async () => {
    const { url } = await open();
    const client = await connect([url], { mode });

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['FindPages', 'PublishVersion', 'ReadAudiences', 'VersionStatus'],
    ]);
    const find = tools.find(({ name }) => name === 'FindPages')!;
    expect(find.description).toBe(
      'Finds pages by words of their names.\nThe best matches come first.\n\nCosts 1 REST call in 1 round trip.',
    );
    expect(find.inputSchema).toMatchObject({
      properties: {
        query: { type: 'string', description: 'Words to look for.' },
        first: { default: 5, minimum: 0, maximum: 100 },
      },
      required: ['query'],
      additionalProperties: false,
    });
    const read = tools.find(({ name }) => name === 'ReadAudiences')!;
    expect(read.description).toMatch(/Costs 2 to \d+ REST calls in 2 round trips\.$/);
    expect(read._meta).toMatchObject({
      'content-pages-gateway/price': { calls: { least: 2, most: expect.any(Number) }, rounds: 2 },
    });
    expect(read.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    const publish = tools.find(({ name }) => name === 'PublishVersion')!;
    expect(publish.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it('finds a page, reads its audiences, publishes a version and reads its status, through three gateways in turn', async () => {
    const first = await open({ fresh: true });
    const others = await Promise.all(
      [1, 2].map(() => open({ backend: new URL(first.backendUrl) })),
    );
    const client = await connect(
      [first, ...others].map(({ url }) => url),
      { mode },
    );

    // With the list the client holds each response against its tool's output schema, and throws where it does not fit.
    await client.listTools();
    const found = await call(client, 'FindPages', { query: 'northwind' });
    const { pageId } = found.structuredContent.data.searchPages[0];
    const read = await call(client, 'ReadAudiences', { pageId, first: 20 });
    const { nodes } = read.structuredContent.data.page.audiences;
    const { id } = nodes.find((node: any) => node.latestVersion.status === 'draft').latestVersion;
    const published = await call(client, 'PublishVersion', { id });
    const asked = await call(client, 'VersionStatus', { id });

    expect(pageId).toBe(IDS.page);
    expect(published.isError).toBeFalsy();
    expect(published.structuredContent.data.publishAudienceVersion).toMatchObject({
      reached: true,
      audienceVersion: { id, status: 'published' },
      userErrors: [],
    });
    expect(asked.structuredContent.data.node).toMatchObject({ id, status: 'published' });
  });
});

it('the former official client, which validates each result against its tool’s schema, gets data and rejections', async () => {
  const { url } = await open();
  const client = new FirstClient({ name: 'test', version: '1' });
  const headers = { 'x-api-key': 'demo' };
  // Written without the project's exactOptionalPropertyTypes.
  const transport = new FirstTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  }) as Parameters<FirstClient['connect']>[0];
  await client.connect(transport);
  onTestFinished(() => client.close());

  const { tools } = await client.listTools();
  const find = (given: Record<string, unknown>): Promise<any> =>
    client.callTool({ name: 'FindPages', arguments: given });
  const found = await find({ query: 'northwind' });
  const refused = await find({});

  expect(tools).toHaveLength(DOCUMENTS.length);
  expect(found.structuredContent.data.searchPages[0].pageId).toBe(IDS.page);
  expect([refused.isError, refused.content[0].text]).toEqual([
    true,
    expect.stringMatching(/^BAD_USER_INPUT: Variable "\$query"/),
  ]);
});

describe('a call', () => {
  it('uses the API key of its caller, and is rejected before any REST call without one', async () => {
    const { url, restCalls } = await open();
    const stranger = await connect([url], { apiKey: 'nobody-knows-this-key' });

    const { isError, content } = await call(stranger, 'FindPages', { query: 'northwind' });

    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/^UNAUTHENTICATED: .*\b401\b/);
    restCalls.length = 0;
    const reply = await postRaw(url, {
      ...LIST,
      method: 'tools/call',
      params: { name: 'FindPages', arguments: { query: 'x' } },
    });
    expect(reply.text).toMatch(/UNAUTHENTICATED: .*`x-api-key`/);
    expect(restCalls).toEqual([]);
  });

  it('over the budget is a tool error that names what to narrow, before any REST call', async () => {
    const { url, restCalls } = await open({ limits: { maxUpstreamCalls: 1 } });
    const client = await connect([url]);
    restCalls.length = 0;

    const result = await call(client, 'ReadAudiences', { pageId: IDS.page, first: 50 });

    expect(result.isError).toBe(true);
    expect(result.content.map(({ text }: any) => text)).toEqual([
      expect.stringMatching(/^QUERY_TOO_EXPENSIVE: .*\b2 backend calls\b/),
      expect.stringMatching(/"first" \(50\)/),
    ]);
    expect(restCalls).toEqual([]);
  });

  it('that fails after a write is not a tool error, and warns against calling the tool again', async () => {
    const document = `# Adds an audience.
mutation AddAudience($pageId: ID!, $first: Int = 20) {
  createAudience(input: { pageId: $pageId }) {
    audience { id }
    page { audiences(first: $first) { nodes { id } } }
    userErrors { message }
  }
}`;
    const site = await open(
      { backend: 'faulty', limits: { maxValues: 20 } },
      folderOf({ 'agents-1.json': [document] }),
    );
    const client = await connect([site.url], { apiKey: 'key-of-tenant-a-0123456789' });

    const result = await call(client, 'AddAudience', { pageId: 'p', first: 50 });

    expect(result.isError).toBeUndefined();
    const words = result.content.map(({ text }: any) => text);
    expect(words).toEqual([
      expect.stringMatching(/^RESULT_TOO_LARGE: /),
      expect.stringMatching(/\bDo not call this tool again\b/),
    ]);
    expect(result.structuredContent.errors[0].extensions).toMatchObject({
      writeCarriedOut: true,
      writes: [{ field: 'createAudience', carriedOut: true, id: expect.any(String) }],
    });
  });

  it('whose write has an unknown outcome advises the agent to read first', async () => {
    const site = (await open({ backend: 'faulty' })) as Awaited<ReturnType<typeof open>> &
      WithFaults;
    site.upstream.on('POST /v0/pages/p/audiences/a/versions/v/publish', reset());
    const client = await connect([site.url], { apiKey: 'key-of-tenant-a-0123456789' });

    const result = await call(client, 'PublishVersion', {
      id: formatNodeId('AudienceVersion', ['p', 'a', 'v']),
    });

    expect(result.isError).toBe(true);
    expect(result.content.at(-2).text).toMatch(/\bmay have been applied\b/);
  });

  it('that fails partially returns the remaining data, and the errors as text', async () => {
    const gateway = await open({ backend: 'faulty' });
    const client = await connect([gateway.url], { apiKey: 'key-of-tenant-a-0123456789' });

    const result = await call(client, 'ReadAudiences', { pageId: 'p1', first: 200 });

    expect(result.isError).toBeFalsy();
    expect(result.structuredContent.data.page.audiences).toBeNull();
    expect(result.content[0].text).toMatch(/^BAD_USER_INPUT: .*100.* \(at page\.audiences\)$/);
  });

  it.each([
    ['of another type', { pageId: 7 as unknown, first: 'many' }, /^BAD_USER_INPUT: /],
    ['it lacks', {}, /^BAD_USER_INPUT: Variable "\$pageId"/],
    ['it does not have', { pageId: 'p', query: '{ __schema }' }, /^Unknown argument "query"/],
  ])('with an argument %s is rejected before any REST call', async (_what, given, message) => {
    const { url, restCalls } = await open();
    const client = await connect([url]);
    restCalls.length = 0;

    const { isError, content } = await call(client, 'ReadAudiences', given);

    expect(isError).toBe(true);
    expect(content[0].text).toMatch(message);
    expect(restCalls).toEqual([]);
  });

  it('accepts objects, lists and numbers as JSON strings, as some agents send them', async () => {
    const { url } = await open({}, folderOf({ 'app.json': [SEND_STRINGS] }));
    const client = await connect([url]);

    const given = { ids: '["no-id"]', first: '1', query: '"1"' };
    const result = await call(client, 'SendStrings', given);

    expect(result.structuredContent.data.topics.nodes).toHaveLength(1);
    expect(result.structuredContent.data.nodes).toEqual([null]);
    expect(result.structuredContent.data.searchPages).toEqual([]);
  });

  it('of an unknown tool is rejected', async () => {
    const { url } = await open();
    const client = await connect([url]);

    await expect(call(client, 'Anything', {})).rejects.toThrow(/Unknown tool "Anything"/);
  });

  it('is counted in gateway_upstream_calls_total', async () => {
    const gateway = await open();
    const client = await connect([gateway.url]);
    const counted = () => gateway.metric('gateway_upstream_calls_total', 'search');
    const before = await counted();

    await call(client, 'FindPages', { query: 'northwind' });

    expect(await counted()).toBe(before + 1);
  });

  it('is served by a gateway that accepts only trusted documents', async () => {
    const { url } = await open({ documents: { folder: folderOf({}), only: true } });
    const client = await connect([url]);

    const { isError } = await call(client, 'FindPages', { query: 'northwind' });

    expect(isError).toBeFalsy();
  });
});

describe('/mcp', () => {
  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['a page with the origin null', { origin: 'null' }, 403, 'ORIGIN_NOT_ALLOWED'],
  ])('rejects %s', async (_what, headers, status, code) => {
    const { url } = await open();

    const reply = await postRaw(url, LIST, headers);

    expect([reply.status, reply.body.error.data.code]).toEqual([status, code]);
  });

  it('rejects a host that is not allowed', async () => {
    const { url } = await open();

    const reply = await postRaw(url.replace('127.0.0.1', 'localhost'), LIST);

    expect([reply.status, ...reply.codes]).toEqual([421, 'HOST_NOT_ALLOWED']);
  });

  it('accepts a same-origin page', async () => {
    const { url } = await open();

    const { status } = await postRaw(url, LIST, { origin: url });

    expect(status).toBe(200);
  });

  it('accepts pages of CORS_ORIGINS, with CORS headers also for the preflight request, and rejects others', async () => {
    const origin = 'https://inspector.example';
    const { url } = await open({ http: { corsOrigins: [origin] } });
    const asked = { origin, 'access-control-request-headers': 'x-api-key' };

    const preflight = await send(`${url}/mcp`, { method: 'OPTIONS', headers: asked });
    const page = await postRaw(url, LIST, { origin });
    const foreign = await postRaw(url, LIST, { origin: 'https://evil.example' });

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-api-key');
    expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
  });

  it('serves the batches of revision 2025-03-26, each call with its own arguments', async () => {
    const { url, gateway } = await open();
    const callOf = (id: number, query: string) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'FindPages', arguments: { query } },
    });

    const batch = [callOf(1, 'northwind'), callOf(2, 'no such page'), { ...LIST, id: 3 }];
    const { status, text } = await postRaw(url, batch, { 'x-api-key': 'demo' });
    await gateway.idle();

    const answers = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)));
    const found = (id: number) =>
      answers.find((one) => one.id === id).result.structuredContent.data.searchPages.length;
    expect(status).toBe(200);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect([found(1) > 0, found(2)]).toEqual([true, 0]);
  });

  it('rejects an oversized body and GET with a JSON-RPC error', async () => {
    const { url } = await open();

    const large = await postRaw(url, { ...LIST, params: { filler: 'x'.repeat(200_000) } });
    const get = await send(`${url}/mcp`, { headers: { accept: 'text/event-stream' } });

    expect([large.status, get.status, get.headers.get('allow')]).toEqual([413, 405, 'POST']);
    for (const { body } of [large, get]) {
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }),
      });
    }
  });

  it.each([
    ['*/*', 200, 'text/event-stream'],
    ['application/json, */*;q=0.5', 200, 'text/event-stream'],
    ['text/event-stream', 200, 'text/event-stream'],
    ['application/json', 200, 'application/json'],
    ['text/html, */*;q=0', 406, 'application/json'],
  ])('responds to an agent that accepts %s with %i in %s', async (accept, status, type) => {
    const { url } = await open();

    const reply = await postRaw(url, LIST, { accept });

    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, type]);
  });

  it('responds to an agent that accepts only JSON with a message or a batch', async () => {
    const { url } = await open();
    const accept = 'application/json';

    const one = await postRaw(url, LIST, { accept });
    const batch = await postRaw(url, [LIST, { ...LIST, id: 2 }], { accept });

    expect(one.body).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    expect(batch.body).toEqual([
      { ...one.body, id: 1 },
      { ...one.body, id: 2 },
    ]);
  });

  it('rejects a cursor, since it issues none', async () => {
    const { url } = await open();

    const { text } = await postRaw(url, { ...LIST, params: { cursor: 'from elsewhere' } });

    expect(text).toContain('"code":-32602');
    expect(text).not.toContain('FindPages');
  });

  it('rejects subscriptions to tool changes', async () => {
    const { url } = await open();
    const client = await connect([url]);

    const reply = await postRaw(
      url,
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );

    expect(reply.text).toContain('Subscription limit reached');
    expect((await client.listTools()).tools).toHaveLength(DOCUMENTS.length);
  });

  it('returns 404 without the extension', async () => {
    const { url } = await openGateway();

    expect((await postRaw(url, LIST)).status).toBe(404);
  });
});

describe('the schemas of a tool', () => {
  const toolOf = async (document: string) => {
    const { url } = await open({}, folderOf({ 'agents.json': [document] }));
    const reply = await postRaw(url, LIST);
    return { url, tool: JSON.parse(reply.text.replace(/^[^{]*/, '')).result.tools[0] };
  };

  it.each([
    [
      'query A($ids: [ID!]! = "x", $t: ID = 5) { nodes(ids: $ids) { id } node(id: $t) { id } }',
      { ids: ['x'], t: '5' },
    ],
    [
      'query A($ids: [ID!]! = [7, "x"], $no: Boolean = null) { nodes(ids: $ids) { id } accounts(includeEmptyOnly: $no) { totalCount } }',
      { ids: ['7', 'x'], no: null },
    ],
    [
      `mutation A($input: CreateAudienceInput! = { pageId: 7, publishBehavior: draft }) {
        createAudience(input: $input) { audience { id } }
      }`,
      { input: { pageId: '7', publishBehavior: 'draft' } },
    ],
    [
      `mutation A($input: CreateAudienceInput! = { pageId: 7 }) {
        createAudience(input: $input) { audience { id } }
      }`,
      { input: { pageId: '7', publishBehavior: 'publish' } },
    ],
  ])('have defaults coerced to the types of their variables: %s', async (document, defaults) => {
    const { tool } = await toolOf(document);
    const { properties } = tool.inputSchema;

    expect(
      Object.fromEntries(Object.entries<any>(properties).map(([name, one]) => [name, one.default])),
    ).toEqual(defaults);
  });

  it('give nullable arguments and fields their type and enum in addition to null', async () => {
    const { tool } = await toolOf(
      `mutation A($sortOrder: SafeInt, $behavior: PublishBehavior, $topic: ID!) {
        updateTopic(input: { id: $topic, sortOrder: $sortOrder }) { topic { purpose } }
        createAudience(input: { pageId: "p", publishBehavior: $behavior }) { audience { status } }
      }`,
    );
    const { inputSchema, outputSchema } = tool;
    const data = outputSchema.properties.data;
    const audience = data.properties.createAudience.properties.audience;

    expect(inputSchema.properties).toMatchObject({
      sortOrder: { type: ['integer', 'null'] },
      behavior: { type: ['string', 'null'], enum: ['draft', 'publish', null] },
      topic: { type: 'string' },
    });
    expect([data.type, audience.type]).toEqual([
      ['object', 'null'],
      ['object', 'null'],
    ]);
    expect(audience.properties.status).toMatchObject({
      type: ['string', 'null'],
      enum: expect.arrayContaining(['published', null]),
    });
  });

  it('use the descriptions of an operation and its variables, or the comments above them', async () => {
    const { tool } = await toolOf(
      `# For developers.
      """
      Finds pages by words of their names.
      Best matches first.
      """
      query A(
        # Ignored.
        "Words to look for."
        $query: String!
        "" # An empty description is none.
        $first: Int = 5
        # Whether with types.
        $types: Boolean!
      ) { searchPages(query: $query, first: $first) { name pageType @include(if: $types) } }`,
    );

    expect(tool.description).toMatch(
      /^Finds pages by words of their names\.\nBest matches first\.\n\nCosts /,
    );
    const { query, first, types } = tool.inputSchema.properties;
    expect([query.description, first.description, types.description]).toEqual([
      'Words to look for.',
      undefined,
      'Whether with types.',
    ]);
  });

  it('contain bounds only for `first` and `last`, whatever their variables are called', async () => {
    const { tool } = await toolOf(
      `query A($id: ID!, $many: Int, $end: Int!) {
        topic(topicId: $id) { entries(last: $end) { totalCount } }
        topics(first: $many) { nodes { entries(first: $many) { totalCount } } }
      }`,
    );

    const { id, many, end } = tool.inputSchema.properties;
    expect(id).toEqual({ type: 'string' });
    expect(many).toEqual({ type: ['integer', 'null'], minimum: 0, maximum: 100 });
    expect(end).toEqual({ type: 'integer', minimum: 0, maximum: 100 });
  });

  it('treat __proto__ as an ordinary variable and alias name, as calls do', async () => {
    const { url, tool } = await toolOf(
      'query A($__proto__: String!) { __proto__: searchPages(query: $__proto__) { __proto__: name } }',
    );
    const { inputSchema, outputSchema } = tool;

    const { text } = await postRaw(
      url,
      {
        ...{ ...LIST, method: 'tools/call' },
        params: { name: 'A', arguments: JSON.parse('{"__proto__":"northwind"}') as object },
      },
      { 'x-api-key': 'demo' },
    );

    expect(Object.keys(inputSchema.properties)).toEqual(['__proto__']);
    expect(inputSchema.required).toEqual(['__proto__']);
    expect(JSON.stringify(outputSchema)).toContain('"required":["__proto__"]');
    expect(text).toMatch(/"structuredContent":{"data":{"__proto__":\[{"__proto__":"Northwind/);
  });
});

describe('a manifest', () => {
  it('of a later version takes precedence when two have a tool of the same name', async () => {
    const newer = READ_AUDIENCES.replace('Reads', 'Lists');
    const { url } = await open(
      {},
      folderOf({ 'app-1.10.json': [newer], 'app-1.9.json': [READ_AUDIENCES] }),
    );
    const client = await connect([url]);

    const { tools } = await client.listTools();

    expect(tools.map(({ description }) => description)).toEqual([expect.stringMatching(/^Lists/)]);
  });

  it.each([
    ['{ topics { totalCount } }', /agents\.json: document \w{12}: .*\bname\b/],
    ['query A { nothing }', /"nothing"/],
    ['query A { topics { totalCount } } query B { topics { totalCount } }', /one operation/],
    [
      'subscription A($id: ID!) { audienceVersionProgress(id: $id) { isFinal } }',
      /\bsubscription\b/,
    ],
    [
      'query A { ...B } fragment B on Query { __schema { queryType { name } } }',
      /agents\.json: document \w{12}: .*__schema/,
    ],
    ['query A { type: __type(name: "Page") { name } }', /__type\b/],
    [
      `query A($${'a'.repeat(65)}: ID!) { topic(topicId: $${'a'.repeat(65)}) { title } }`,
      /\$a{65} .*\b64\b/,
    ],
  ])('with a document that cannot be a tool fails the start: %s', async (document, message) => {
    await expect(open({}, folderOf({ 'agents.json': [document] }))).rejects.toThrow(message);
  });

  it('that is missing fails the start', async () => {
    await expect(open({}, folderOf({}))).rejects.toThrow(/^MCP_DOCUMENTS: /);
  });
});
