/** Callers who accept only a stream: their response is a stream of one, and passes the same policies as any other. */
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { POST_JSON, replyOf, type Reply } from '../support/client.ts';
import { status } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import {
  openGateway,
  type InProcessGateway,
  type InProcessOptions,
} from '../support/open-gateway.ts';
import { isMaskedError, isOperation, openLog } from '../support/open-log.ts';

const ORIGIN = 'http://localhost:5173';
const TOPIC = `{ topic(topicId: "${IDS.topic}") { title } }`;
const WRITE = `mutation { updateTopic(input: { id: "${formatNodeId('Topic', [IDS.topic])}", title: "New" }) { topic { title } userErrors { message } } }`;

const STREAMS = ['text/event-stream', 'multipart/mixed'] as const;
const TRANSPORTS = ['HTTP', 'fetch'] as const;

interface Asked {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(
  { url, gateway }: InProcessGateway,
  transport: (typeof TRANSPORTS)[number],
  accept: string,
  { query = TOPIC, body = JSON.stringify({ query }), headers = {} }: Asked = {},
): Promise<Reply> {
  const own = { 'x-api-key': EXAMPLE_API_KEY, ...POST_JSON, accept, ...headers };
  const init = { method: 'POST', headers: own, body };
  return replyOf(
    transport === 'fetch'
      ? await gateway.fetch(new Request('http://gateway/graphql', init))
      : await fetch(`${url}/graphql`, init),
  );
}

/** The responses in a stream; none when it does not end as its protocol requires. */
function answersIn({ headers, text }: Reply): any[] {
  const pieces = headers.get('content-type')!.startsWith('text/event-stream')
    ? /^:\n\n((?:event: next\ndata: .*\n\n)*)event: complete\ndata:\n\n$/.exec(text)
    : /^\r\n--graphql((?:\r\ncontent-type: .*\r\n\r\n.*\r\n--graphql)*)--\r\n$/.exec(text);
  return [...(pieces?.[1] ?? '').matchAll(/\{.*\}/g)].map(([json]) => JSON.parse(json) as unknown);
}

describe.each(STREAMS)('a response to a client that accepts only %s', (accept) => {
  it.each(TRANSPORTS)(
    'is an uncompressed stream of one result with the usual headers, by %s',
    async (transport) => {
      const site = await openGateway({
        fresh: true,
        http: { corsOrigins: [ORIGIN] },
        headers: { expose: ['x-request-id'] },
      });

      const headers = { origin: ORIGIN, 'accept-encoding': 'gzip' };
      const reply = await ask(site, transport, accept, { query: WRITE, headers });

      expect(answersIn(reply)).toEqual([
        { data: { updateTopic: { topic: { title: 'New' }, userErrors: [] } } },
      ]);
      expect(reply.status).toBe(200);
      const got = Object.fromEntries(reply.headers);
      expect(got).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-request-id': expect.any(String),
        'server-timing': expect.stringContaining('calls'),
      });
      expect(got['content-type']).toMatch(accept);
      expect(got).not.toHaveProperty('content-encoding');
    },
  );

  it('is counted, logged and masked like any other response', async () => {
    const { lines, logger } = openLog('info');
    const site = await openGateway({
      logger,
      backend: 'faulty',
      plugins: [
        {
          onExecute({ context }) {
            if (context.record.operationName === 'Broken') throw new Error('10.0.0.7 refused');
          },
        },
      ],
    });
    site.upstream.on('*', status(500));

    await ask(site, 'HTTP', accept);
    await ask(site, 'HTTP', accept, { query: '{ nothing }' });
    const { text } = await ask(site, 'HTTP', accept, { query: `query Broken ${TOPIC}` });

    expect(text).toContain('INTERNAL_SERVER_ERROR');
    expect(text).not.toContain('10.0.0.7');
    const count = (outcome: string) => site.metric('gateway_requests_total', outcome);
    expect(await count('outcome="failed"')).toBe(2);
    expect(await count('outcome="refused"')).toBe(1);
    expect(await count('outcome="ok"')).toBe(0);
    expect(await site.metric('gateway_errors_total', 'code="INTERNAL_SERVER_ERROR"')).toBe(1);
    const operations = lines.filter(isOperation);
    expect(operations.map(({ outcome }) => outcome)).toEqual(['failed', 'refused', 'failed']);
    expect(operations.at(-1)).toMatchObject({ bytes: text.length });
    const [masked] = lines.filter(isMaskedError);
    expect(masked?.['err'].message).toBe('10.0.0.7 refused');
  });
});

describe('a client error for a client that accepts only event streams', () => {
  const costly = `{ ${Array.from({ length: 3 }, (_, i) => `a${i}: page(pageId: "p${i}") { name }`).join(' ')} }`;
  const open = (options: InProcessOptions = {}) =>
    openGateway({ limits: { maxUpstreamCalls: 2 }, ...options });

  it.each<[what: string, asked: Asked, code: string]>([
    ['a syntax error', { query: '{ topic(' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown subscription', { query: 'subscription { nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['a bad argument', { query: '{ topics(first: 1000) { totalCount } }' }, 'BAD_USER_INPUT'],
    ['a bad id', { query: '{ node(id: "bad") { id } }' }, 'BAD_USER_INPUT'],
    ['a cost above the budget', { query: costly }, 'QUERY_TOO_EXPENSIVE'],
    [
      'a variable of another type',
      {
        body: '{"query":"query ($id: ID!) { topic(topicId: $id) { title } }","variables":{"id":{}}}',
      },
      'BAD_USER_INPUT',
    ],
    [
      'variables nested too deep',
      { body: `{"query":"{ __typename }","variables":{"a":${'['.repeat(40)}${']'.repeat(40)}}}` },
      'BAD_USER_INPUT',
    ],
    [
      'an unknown operation',
      { body: '{"query":"query A { __typename }","operationName":"B"}' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['truncated JSON', { body: '{' }, 'BAD_REQUEST'],
    ['no document', { body: '{}' }, 'BAD_REQUEST'],
    ['a bad key', { headers: { 'x-api-key': 'two words' } }, 'UNAUTHENTICATED'],
    ['a body that is too long', { body: 'x'.repeat(101_000) }, 'BODY_TOO_LARGE'],
  ])('for %s is sent as an event with status 200', async (_what, asked, code) => {
    const reply = await ask(await open(), 'HTTP', 'text/event-stream', asked);

    expect(reply.status).toBe(200);
    expect(answersIn(reply)).toHaveLength(1);
    expect(answersIn(reply)[0].errors[0].extensions.code).toBe(code);
  });

  it('keeps the status 429 or 503 with Retry-After', async () => {
    const limited = (code: number) => ({
      plugins: [
        {
          onExecute: () => {
            const http = { status: code, headers: { 'retry-after': '7' } };
            throw new GraphQLError('Later.', { extensions: { http } });
          },
        },
      ],
    });

    for (const code of [429, 503]) {
      const reply = await ask(await open(limited(code)), 'HTTP', 'text/event-stream');
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([code, '7']);
    }
  });
});
