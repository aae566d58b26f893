/**
 * The same operations by JSON, GET, server-sent events, multipart, WebSocket and MCP: responses, log lines, counters, calls
 * and spans do not depend on the transport.
 */
import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { createMcp } from '../../src/extensions/mcp/mcp.extension.ts';
import { openTracer } from '../../src/extensions/traces/tracer.ts';
import { traces } from '../../src/extensions/traces/traces.extension.ts';
import { silentLogger } from '../../src/gateway/observe/logs/logger.ts';
import type { GatewayPlugin } from '../../src/gateway/yoga/gateway-plugin.ts';
import { openSocket } from '../live/support.ts';
import { KEY, POST_JSON, send } from '../support/client.ts';
import { openDecoder } from '../support/collector.ts';
import { status } from '../support/faults.ts';
import { openFolder } from '../support/folder.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { isMaskedError, isOperation, openLog } from '../support/open-log.ts';
import { until } from '../support/until.ts';

interface Operation {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
  /** Whether agents have it as a tool: it is named, valid, and no introspection. @default true */
  readonly isTool?: boolean;
}

const write = (field: string) =>
  `updateTopic(input: { id: "${formatNodeId('Topic', ['t'])}", title: "New" }) { ${field} }`;
const times = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join(' ');

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'without a call': { query: 'query Typename { __typename }' },
  'a lookup': { query: 'query Lookup { person(personId: "p") { name } }' },
  'a list': { query: 'query List { topics(first: 2) { nodes { title } } }' },
  'two rounds': {
    query:
      'query Rounds { page(pageId: "p") { audiences(first: 1) { nodes { person { name } } } } }',
  },
  'a fragment': {
    query: 'query Spread { person(personId: "p") { ...F } } fragment F on Person { name }',
  },
  variables: {
    query: 'query Variables($id: ID!) { person(personId: $id) { name } }',
    variables: { id: 'p' },
  },
  'a missing object': { query: 'query Missing { person(personId: "gone") { name } }' },
  introspection: { query: 'query Schema { __schema { queryType { name } } }', isTool: false },
  'a write': { query: `mutation Write { ${write('topic { title } userErrors { code }')} }` },
  'a syntax error': { query: 'query Broken {', isTool: false },
  'an unknown field': { query: 'query Unknown { nope }', isTool: false },
  'an unknown operation name': {
    query: 'query A { __typename }',
    operationName: 'B',
    isTool: false,
  },
  'a bad id': { query: 'query BadId { node(id: "bad") { id } }' },
  'a bad argument': { query: 'query BadArgument { topics(first: 1000) { totalCount } }' },
  'a bad variable': {
    query: 'query BadVariable($id: ID!) { person(personId: $id) { name } }',
    variables: { id: {} },
  },
  'too high a price': {
    query: `query Costly { ${times(8, (i) => `a${i}: person(personId: "p${i}") { name }`)} }`,
  },
  'a limit of a plugin': { query: 'query Limited { __typename }' },
  'a plugin that fails': { query: 'query Failing { __typename }' },
  'a backend that fails': { query: 'query Outage { person(personId: "broken") { name } }' },
  'a backend that fails in part': {
    query:
      'query Part { a: person(personId: "p") { name } b: person(personId: "broken") { name } }',
  },
};

const TRANSPORTS: Readonly<
  Record<string, (site: InProcessGateway, one: Operation) => Promise<any>>
> = {
  JSON: (site, one) => byPost(site, one, 'application/graphql-response+json'),
  'GET of JSON': async ({ url }, { query, variables, operationName }) => {
    const search = new URLSearchParams({
      query,
      ...(variables && { variables: JSON.stringify(variables) }),
      ...(operationName !== undefined && { operationName }),
    });
    const headers = { 'x-api-key': KEY, accept: 'application/graphql-response+json' };
    return (await send(`${url}/graphql?${search}`, { headers })).body;
  },
  'server-sent events': (site, one) => byPost(site, one, 'text/event-stream'),
  multipart: (site, one) => byPost(site, one, 'multipart/mixed'),
  WebSocket: async ({ url }, { query, variables, operationName }) => {
    const socket = await openSocket(url, { payload: { 'x-api-key': KEY } });
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables, operationName } });
    await until(() => socket.received('complete').length + socket.received('error').length > 0);
    const [next] = socket.received('next');
    const [error] = socket.received('error');
    socket.socket.terminate();
    return next?.payload ?? { errors: error!.payload };
  },
  MCP: async ({ url }, { query, variables = {} }) => {
    const name = /\w+ (\w+)/.exec(query)![1];
    const reply = await send(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-api-key': KEY },
        ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: variables },
      }),
    });
    const { result } = JSON.parse(/\{.*\}/.exec(reply.text)![0]);
    return result.structuredContent;
  },
};

/** The single response, without the frames of its transport. */
async function byPost({ url }: InProcessGateway, one: Operation, accept: string): Promise<any> {
  const { query, variables, operationName } = one;
  const { text } = await send(`${url}/graphql`, {
    method: 'POST',
    headers: { ...POST_JSON, accept, 'x-api-key': KEY },
    body: JSON.stringify({ query, variables, operationName }),
  });
  return JSON.parse(/\{.*\}/.exec(text)![0]);
}

const useFailures: GatewayPlugin = {
  onExecute({ context }) {
    const { operationName } = context.record;
    if (operationName === 'Failing') throw new Error('10.0.0.7 refused');
    if (operationName === 'Limited') {
      throw new GraphQLError('Later.', { extensions: { code: 'LIMITED', http: { status: 429 } } });
    }
  },
};

const tools = Object.values(OPERATIONS).filter(({ isTool = true }) => isTool);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const folder = openFolder({
  'app-1.json': Object.fromEntries(tools.map(({ query }) => [sha256(query), query])),
});

const COUNTED =
  /^(gateway_(?:requests|operations|errors|operation_calls|operation_rounds)_total\{.*\}) (\d+)$/gm;

/** The counters and their values. */
async function countersOf(site: InProcessGateway): Promise<Map<string, number>> {
  const { text } = await site.get('/metrics');
  return new Map([...text.matchAll(COUNTED)].map(([, name, value]) => [name!, Number(value)]));
}

/** Observations of each operation by its name, with all of them sent by one transport. */
async function observe(transport: string): Promise<ReadonlyMap<string, Observation>> {
  const { lines, logger } = openLog('info');
  const decoder = await openDecoder();
  const tracer = openTracer({
    ...{ url: `${decoder.url}/v1/traces`, protocol: 'http/json', resourceAttributes: '' },
    ...{ backend: 'http://b', version: '1', logger: silentLogger() },
  });
  const site = await openGateway({
    ...{ backend: 'faulty', logger, plugins: [useFailures] },
    ...{ limits: { maxUpstreamCalls: 5 }, documents: { folder } },
    extensions: [traces(tracer), { routes: (core) => ({ '/mcp': createMcp(folder, '1', core) }) }],
  });
  await site.gateway.open();
  site.upstream.on('GET /v0/persons/broken', status(500));
  site.upstream.on('GET /v0/persons/gone', status(404));
  const observations = new Map<string, Observation>();

  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const before = await countersOf(site);
    lines.length = 0;
    const seen = site.upstream.seen.length;
    if (!isSentBy(transport, operation)) continue;
    const { data = null, errors = [] } = await TRANSPORTS[transport]!(site, operation);
    await until(() => lines.some(isOperation));
    await site.gateway.idle();

    const [line = {}] = lines.filter(isOperation);
    observations.set(name, {
      answer: { data, errors },
      line: Object.fromEntries(
        Object.entries(line)
          .filter(([key]) => !APART.has(key))
          .map(([key, value]) => [key, DIFFERING.has(key) ? typeof value : value]),
      ),
      masked: lines.filter(isMaskedError).length,
      counters: [...(await countersOf(site))].flatMap(([counter, value]) => {
        const more = value - (before.get(counter) ?? 0);
        return more > 0 ? [`${counter.replace(/app="\w+",version="\w+"/, '')} ${more}`] : [];
      }),
      calls: site.upstream.seen
        .slice(seen)
        .map(({ method, target }) => `${method} ${target}`)
        .sort(),
      span: line['span_id'],
    });
  }

  await tracer.close();
  await site.close();
  for (const [name, one] of observations) {
    const span = decoder.spans.find(({ spanId }) => spanId === one.span);
    const shown = span && {
      ...{ name: span.name, status: span.status },
      attributes: Object.entries(span.attributes).filter(
        ([key]) => !/^(?:http|url|app)\./.test(key),
      ),
    };
    observations.set(name, { ...one, span: shown });
  }
  return observations;
}

interface Observation {
  readonly answer: object;
  readonly line: object;
  readonly masked: number;
  readonly counters: readonly string[];
  readonly calls: readonly string[];
  readonly span: unknown;
}

const isSentBy = (transport: string, { isTool = true, query }: Operation): boolean =>
  !(transport === 'MCP' && !isTool) &&
  !(transport === 'GET of JSON' && query.startsWith('mutation'));

/** Keys that are omitted: the status is that of the transport, and a manifest of agents names no app. */
const APART = new Set(['level', 'time', 'pid', 'hostname', 'status', 'app', 'appVersion']);

/** Keys of which only the type is compared. */
const DIFFERING = new Set([
  ...['requestId', 'trace_id', 'span_id', 'durationMs', 'slowestCall', 'slowestMs', 'bytes'],
]);

const observations = new Map<string, Promise<ReadonlyMap<string, Observation>>>();

/** Observes each transport for the first test that needs it. */
async function observationsBy(transport: string): Promise<ReadonlyMap<string, Observation>> {
  const known = observations.get(transport) ?? observe(transport);
  observations.set(transport, known);
  return known;
}

it.each(Object.entries(OPERATIONS))(
  'every transport has the same response, log line, counters, calls and span: %s',
  async (name, operation) => {
    const expected = (await observationsBy('JSON')).get(name);
    expect(expected!.line).toMatchObject({ bytes: 'number', outcome: expect.any(String) });
    expect(expected!.counters).not.toEqual([]);
    expect(expected!.span).toBeDefined();

    for (const transport of Object.keys(TRANSPORTS)) {
      if (!isSentBy(transport, operation)) continue;
      expect((await observationsBy(transport)).get(name), transport).toEqual(expected);
    }
  },
);
