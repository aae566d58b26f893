/**
 * MCP at `/mcp`: each document of the manifests is a tool. Agents can execute nothing else.
 *
 * Streamable HTTP without sessions, so any replica can serve any request. `Origin` is checked here, since
 * `createMcpHandler` does not; the server checks `Host`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ListToolsResult,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { dictionary } from '../../lib/dictionary.ts';
import type { Core, Open, OptionsOf } from '../../gateway/extension.ts';
import type { RouteHandler } from '../../gateway/http/site.ts';
import { accepts } from '../../gateway/operation/negotiation.ts';
import { formatResult, pairsOf } from '../../gateway/operation/response.ts';
import { createCors, mayAsk } from '../../gateway/policies/cors.ts';
import { arrive, type Arrival } from '../../gateway/operation/operation.ts';
import type { JsonSchema } from './json-schema.ts';
import type { settings } from './mcp.settings.ts';
import { readTools, type Tool } from './tools.ts';

export const open: Open<OptionsOf<typeof settings>> = ({ folder }, { version }) => ({
  routes: (core) => ({ '/mcp': createMcp(folder, version, core) }),
});

interface Served {
  readonly request: Request;
  readonly arrival: Arrival;
  /** The JSON-RPC message, or a batch of them. */
  readonly text: string;
}

type ToolArguments = Readonly<Record<string, unknown>>;

/** The message of a call, as it was sent. */
interface ToolCall {
  readonly id: RequestId;
  readonly params: { readonly arguments?: ToolArguments };
}

/** @throws {OperatorError} for an invalid manifest, or a document that cannot be a tool. */
export function createMcp(folder: string, version: string, core: Core): RouteHandler {
  const { logger, corsOrigins } = core;
  const tools = readTools(folder, core);
  const list = [...tools.values()].map(({ definition }) => definition);
  logger.info({ tools: list.length }, 'Serving documents as MCP tools at /mcp');
  // Not a WeakMap by request, which the SDK copies in the old protocol.
  const served = new AsyncLocalStorage<Served>();

  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: 'content-pages-gateway', version },
        { capabilities: { tools: {} } },
      );
      server.setRequestHandler('tools/list', ({ params }) => {
        if (params?.cursor === undefined) return { tools: list } as ListToolsResult;
        const message = 'tools/list has only one page. Call it without a cursor.';
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      });
      server.setRequestHandler('tools/call', ({ params: { name } }, { mcpReq: { id } }) => {
        const tool = tools.get(name);
        if (tool) return call(tool, id, served.getStore()!);
        const message = `Unknown tool ${JSON.stringify(name.slice(0, 80))}. Call tools/list for the available tools.`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      });
      return server;
    },
    // Tools never change at runtime, so subscriptions to changes are rejected.
    { maxSubscriptions: 0 },
  );

  async function call(
    { trusted: document, definition, counts }: Tool,
    id: RequestId,
    { request, arrival, text }: Served,
  ): Promise<CallToolResult> {
    // Parsed again, since the SDK drops an argument `__proto__`.
    const sent = JSON.parse(text) as ToolCall | readonly ToolCall[];
    const message = 'length' in sent ? sent.find((one) => one.id === id)! : sent;
    const { arguments: given = {} } = message.params;
    const { properties } = definition.inputSchema;
    const known = Object.keys(properties);
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const accepted = known.join(', ') || 'none';
      const name = JSON.stringify(unknown.slice(0, 80));
      return {
        isError: true,
        content: [textOf(`Unknown argument ${name}. Arguments of this tool: ${accepted}.`)],
      };
    }
    const { method, headers } = request;
    const result = await core.run(
      {
        document,
        variables: dictionary(
          Object.entries(given).map(([name, value]) => [name, inSchema(value, properties[name]!)]),
        ),
        transport: 'mcp',
        path: '/mcp',
        method,
        headers: dictionary(headers),
      },
      // Each call of a batch has its own permit.
      message === sent ? arrival : arrive(arrival.requestId),
    );
    return resultOf(result, given, counts);
  }

  async function handle(request: Request, arrival: Arrival): Promise<Response> {
    const { method, url, headers } = request;
    const host = headers.get('host') ?? undefined;
    if (!mayAsk(headers.get('origin') ?? undefined, host, corsOrigins)) {
      core.onForeignOrigin(headers.get('origin')!);
      const message = 'This origin may not use /mcp. Add it to CORS_ORIGINS.';
      return rejection(403, 'ORIGIN_NOT_ALLOWED', message);
    }
    if (arrival.unreadable) return rejection(413, 'BODY_TOO_LARGE', arrival.unreadable.message);
    const text = await request.text();
    // The SDK requires an instance of Node's Request.
    const body = method === 'POST' ? text : null;
    const own = new Request(url, { method, headers: [...headers], body });
    const accept = headers.get('accept');
    const readsEvents = accepts(accept, EVENTS);
    // The SDK reads no ranges, and requires both types, of which some agents read one.
    if (readsEvents || accepts(accept, JSON_TYPE)) own.headers.set('accept', BOTH);
    const response = await served.run({ request, arrival, text }, () => handler.fetch(own));
    return readsEvents ? response : inJson(response, text);
  }

  if (corsOrigins.length === 0) return handle;
  const cors = createCors(corsOrigins, []);
  return async (request, arrival) => {
    const { method, headers } = request;
    if (method === 'OPTIONS') {
      const allowed = pairsOf(cors.preflightHeaders(dictionary(headers)));
      const origin = headers.get('origin');
      if (origin !== null && !corsOrigins.includes(origin)) core.onForeignOrigin(origin);
      return new Response(null, { status: 204, headers: allowed });
    }
    const response = await handle(request, arrival);
    cors.addTo(response, headers);
    return response;
  };
}

/** Parses a string where the schema has none: some agents send objects, lists and numbers as strings of JSON. */
function inSchema(value: unknown, { type }: JsonSchema): unknown {
  if (typeof value !== 'string' || type === undefined || [type].flat().includes('string'))
    return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value; // reported by the validation of the variables
  }
}

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
const BOTH = `${JSON_TYPE}, ${EVENTS}`;

/** Converts events to JSON; all are responses. @param text the message or the batch. */
async function inJson(response: Response, text: string): Promise<Response> {
  if (response.headers.get('content-type') !== EVENTS) return response;
  const lines = (await response.text()).split('\n');
  const messages = lines.flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []));
  const isBatch = text.trimStart().startsWith('[');
  const body = isBatch ? `[${messages.join(',')}]` : messages.join();
  return new Response(body, { status: response.status, headers: { 'content-type': JSON_TYPE } });
}

/** A JSON-RPC error without an id, for requests whose messages are not read. */
const rejection = (status: number, code: string, message: string): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: ProtocolErrorCode.InvalidRequest, message, data: { code } },
    },
    { status },
  );

const TOO_MUCH: readonly unknown[] = [
  'QUERY_TOO_EXPENSIVE',
  'UPSTREAM_BUDGET_EXCEEDED',
  'RESULT_TOO_LARGE',
  'REQUEST_TIMEOUT',
];

function resultOf(
  result: ExecutionResult,
  given: ToolArguments,
  counts: readonly string[],
): CallToolResult {
  const { data = null, errors = [] } = result;
  const isTooMuch = errors.some(({ extensions }) => TOO_MUCH.includes(extensions['code']));
  const written = outcomeOfWrites(errors);
  const advice = written ? ADVICE[written] : isTooMuch ? narrowingAdvice(given, counts) : undefined;
  const messages = [...errors.map(describeError), ...(advice === undefined ? [] : [advice])];
  // A result without data is a tool error, except after a write: agents repeat failed calls.
  const isEmpty = !data || (errors.length > 0 && Object.values(data).every((one) => one === null));
  const isError = isEmpty && written !== 'applied';
  const { errors: failures } = formatResult(result) as { readonly errors?: object[] };
  return {
    ...(isError && { isError }),
    structuredContent: { data, ...(failures && { errors: failures }) },
    content: [...messages, ...(data === null ? [] : [JSON.stringify(data)])].map(textOf),
  };
}

/** Outcome of the writes of a result with errors; undefined if nothing was written. */
function outcomeOfWrites(errors: readonly GraphQLError[]): keyof typeof ADVICE | undefined {
  if (errors.some(({ extensions }) => extensions['writeCarriedOut'] === true)) return 'applied';
  const isUnknown = errors.some(
    ({ extensions }) =>
      extensions['writeCarriedOut'] === null || extensions['code'] === 'OUTCOME_UNKNOWN',
  );
  return isUnknown ? 'unknown' : undefined;
}

const ADVICE = {
  applied:
    'The write was applied. Do not call this tool again for it. Read missing data with another tool.',
  unknown:
    'The write may have been applied. Read the object with another tool before you decide whether to write again.',
} as const;

const textOf = (text: string) => ({ type: 'text' as const, text });

const describeError = ({ message, path, extensions }: GraphQLError): string =>
  `${String(extensions['code'])}: ${message}${path ? ` (at ${path.join('.')})` : ''}`;

function narrowingAdvice(given: ToolArguments, counts: readonly string[]): string {
  if (counts.length === 0)
    return 'This tool has no argument that reduces its result. Use another tool.';
  const each = counts.map((name) => `"${name}"${name in given ? ` (${String(given[name])})` : ''}`);
  return `Call this tool again with a smaller ${each.join(' or ')}.`;
}
