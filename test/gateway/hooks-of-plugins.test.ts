/**
 * Hooks of operators' plugins that replace something of the gateway's own: a document, a schema, a context, the
 * executor, a result, an HTTP response.
 */
import { useExtendedValidation } from '@envelop/extended-validation';
import { useResponseCache } from '@graphql-yoga/plugin-response-cache';
import {
  GraphQLError,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
  type DocumentNode,
  type ExecutionArgs,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { GatewayPlugin } from '../../src/gateway/yoga/gateway-plugin.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { openSocket } from '../live/support.ts';
import { POST_JSON, send } from '../support/client.ts';
import { IDS, SAMPLE_NODES } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

const PAGE = `{ page(pageId: "${IDS.page}") { name } }`;
const NAME = { page: { name: expect.any(String) } };

/** A published plugin, which is typed for another context. */
const published = (plugin: object): GatewayPlugin => plugin;

/** The messages that respond to an operation over a WebSocket. */
async function askSocket(site: InProcessGateway, query: string): Promise<any[]> {
  const socket = await openSocket(site.url);
  const answers = () => [...socket.received('next'), ...socket.received('error')];
  socket.subscribe('a', {}, query);
  await until(() => answers().length === 1);
  return answers();
}

describe('the response cache of Yoga', () => {
  const openCached = () =>
    openGateway({
      plugins: [
        published(
          useResponseCache({
            session: (request: Request) => request.headers.get('x-api-key'),
            enabled: (request?: Request) =>
              request !== undefined && !request.headers.get('accept')?.includes('multipart/'),
            ttl: 60_000,
            includeExtensionMetadata: true,
          }),
        ),
      ],
    });

  it('serves a repeated operation without a REST call', async () => {
    const site = await openCached();

    const first = await site.ask(PAGE);
    const callsOfFirst = site.restCalls.length;
    const second = await site.ask(PAGE);

    expect(first.data).toEqual(NAME);
    expect(callsOfFirst).toBe(1);
    expect(second.data).toEqual(first.data);
    expect(second.extensions.responseCache).toMatchObject({ hit: true });
    expect(site.restCalls).toEqual([]);
  });

  it('returns 304 for the ETag of a cached response', async () => {
    const site = await openCached();

    const { text, headers } = await site.ask(PAGE);
    expect(text).not.toContain('"http"');
    const again = await site.ask(PAGE, { headers: { 'if-none-match': headers.get('etag')! } });

    expect([again.status, again.text]).toEqual([304, '']);
    expect(site.restCalls).toEqual([]);
  });

  it('sends a single ETag by GET and returns 304 for it', async () => {
    const site = await openCached();
    const get = (headers = {}) =>
      send(`${site.url}/graphql?query=${encodeURIComponent(PAGE)}`, {
        headers: { 'x-api-key': EXAMPLE_API_KEY, accept: POST_JSON.accept, ...headers },
      });

    const { headers, data } = await get();
    const again = await get({ 'if-none-match': headers.get('etag')! });

    expect(data).toEqual(NAME);
    expect(headers.get('etag')).not.toContain(',');
    expect(again.status).toBe(304);
  });

  it('does not cache the first part of an incremental response as the complete response', async () => {
    const site = await openCached();
    const query = `{ page(pageId: "${IDS.page}") { name ... @defer { audiences(first: 1) { nodes { id } } } } }`;

    const parts = await site.ask(query, {
      headers: { accept: 'multipart/mixed;deferSpec=20220824' },
    });
    const whole = await site.ask(query);

    expect(parts.text).toContain('"hasNext":false');
    expect(parts.text).not.toContain('__responseCache');
    expect(whole.data.page.audiences.nodes).toHaveLength(1);
  });

  it('does not serve another API key from the cache', async () => {
    const site = await openCached();

    await site.ask(PAGE);
    const other = await site.ask(PAGE, { apiKey: 'another-key-0123456789' });

    expect(other.codes).toEqual(['UNAUTHENTICATED']);
  });
});

describe('the parts of an incremental response', () => {
  const query = `{ page(pageId: "${IDS.page}") { name ... @defer { audiences(first: 1) { nodes { id } } } } }`;
  const headers = { accept: 'multipart/mixed;incrementalSpec=v0.2' };

  /** A gateway with a plugin that observes each result and each part. */
  const openObserved = (onNext: (part: any, set: (part: object) => void) => void, others = {}) =>
    openGateway({
      plugins: [
        {
          onExecute: () => ({
            onExecuteDone: ({ result, setResult }) => {
              if (Symbol.asyncIterator in result) {
                return {
                  onNext: (payload) => onNext(payload.result, payload.setResult),
                  onEnd: () => onNext('end', () => {}),
                };
              }
              onNext(result, setResult as never);
              return undefined;
            },
          }),
          ...others,
        },
      ],
    });

  it('pass through onNext one by one and can be replaced there', async () => {
    const seen: any[] = [];
    const processed: boolean[] = [];
    const site = await openObserved(
      (part, set) => {
        seen.push(structuredClone(part));
        set({ ...part, extensions: { part: seen.length } });
      },
      { onResultProcess: ({ result }: any) => processed.push(Symbol.asyncIterator in result) },
    );

    const { text, errors } = await site.ask(query, { headers });

    expect(errors).toEqual([]);
    expect(seen).toMatchObject([
      { data: { page: { name: expect.any(String) } }, pending: [{}], hasNext: true },
      { incremental: [{ data: { audiences: { nodes: [{}] } } }], hasNext: false },
      'end',
    ]);
    expect(text).toContain('"extensions":{"part":1}');
    expect(text).toContain('"extensions":{"part":2}');
    expect(text.indexOf('"hasNext":false')).toBeGreaterThan(text.indexOf('"hasNext":true'));
    expect(processed).toEqual([true]);
  });

  it('are replaced by a single result that a plugin sets', async () => {
    const site = await openGateway({
      plugins: [
        {
          onExecute: () => ({
            onExecuteDone: ({ setResult }) => setResult({ data: { page: null } }),
          }),
        },
      ],
    });

    const { body } = await site.ask(query, {
      headers: { accept: `${headers.accept}, application/json;q=0.9` },
    });

    expect(body).toEqual({ data: { page: null } });
  });

  it('end with a masked error when a plugin throws on a later part', async () => {
    let count = 0;
    const site = await openObserved(() => {
      count += 1;
      if (count === 2) throw new Error('A plugin is broken.');
    });

    const { text } = await site.ask(query, { headers });

    expect(text).toContain('"code":"INTERNAL_SERVER_ERROR"');
    expect(text).toContain('"hasNext":false');
    expect(text).not.toContain('broken');
    expect(text.endsWith('--graphql--\r\n')).toBe(true);
  });

  it('are replaced by a plain error response when a plugin throws on the first part', async () => {
    const site = await openObserved(() => {
      throw new GraphQLError('No parts today.', { extensions: { code: 'NO_PARTS' } });
    });

    const { body } = await site.ask(query, {
      headers: { accept: `${headers.accept}, application/json;q=0.9` },
    });

    expect(body.errors).toMatchObject([
      { message: 'No parts today.', extensions: { code: 'NO_PARTS' } },
    ]);
  });

  it('include the events of a subscription, which can be replaced in onNext too, and keep nothing of its start', async () => {
    const seen: any[] = [];
    let readsOfStart: unknown = 'no subscription';
    const site = await openGateway({
      plugins: [
        {
          onSubscribe: ({ args }) => ({
            onSubscribeResult: () => {
              readsOfStart = (args.contextValue as { reads?: unknown }).reads;
              return {
                onNext: ({ result, setResult }) => {
                  seen.push(result);
                  setResult({ ...result, extensions: { seen: seen.length } });
                },
              };
            },
          }),
        },
      ],
    });
    const response = await fetch(`${site.url}/graphql`, {
      method: 'POST',
      headers: { ...POST_JSON, accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY },
      body: JSON.stringify({
        query: `subscription { audienceVersionProgress(id: "${SAMPLE_NODES[2]}") { isFinal } }`,
      }),
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"seen":1')) text += (await reader.read()).value ?? '';
    await reader.cancel();

    expect(seen).toMatchObject([{ data: {} }]);
    expect(readsOfStart).toBeUndefined();
  });
});

describe('the extended validation plugin of Envelop', () => {
  const openStrict = () =>
    openGateway({
      live: { socketOperations: 'all' },
      plugins: [
        published(
          useExtendedValidation({
            rules: [
              (context, args) => ({
                OperationDefinition() {
                  if (args.variableValues?.['id'] === 'forbidden') {
                    context.reportError(new GraphQLError('Ask for another page.'));
                  }
                },
              }),
            ],
          }),
        ),
      ],
    });
  const query = 'query Page($id: ID!) { page(pageId: $id) { name } }';

  it('rejects a variable value without a REST call', async () => {
    const site = await openStrict();

    const { body } = await site.ask(query, { variables: { id: 'forbidden' } });

    expect(body.errors).toMatchObject([{ message: 'Ask for another page.' }]);
    expect(site.restCalls).toEqual([]);
  });

  it('accepts a valid value over HTTP, and an operation without variables over a WebSocket', async () => {
    const site = await openStrict();

    const { body } = await site.ask(query, { variables: { id: IDS.page } });

    expect(body).toMatchObject({ data: NAME });
    expect(await askSocket(site, PAGE)).toMatchObject([{ payload: { data: NAME } }]);
  });
});

const OTHER_SCHEMA = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: { greeting: { type: GraphQLString, resolve: () => 'hello' } },
  }),
});

const withSchema: GatewayPlugin = {
  onEnveloped({ setSchema }) {
    setSchema(OTHER_SCHEMA);
  },
};

const withDocument = (document: DocumentNode): GatewayPlugin => ({
  onParse:
    () =>
    ({ replaceParseResult }) =>
      replaceParseResult(document),
});

const withExecute = (greet: (args: ExecutionArgs) => string): GatewayPlugin => ({
  onExecute({ setExecuteFn }) {
    setExecuteFn((args: ExecutionArgs) => ({ data: { greeting: greet(args) } }));
  },
});

const withResult: GatewayPlugin = {
  onExecute: () => ({
    onExecuteDone({ setResult }) {
      setResult({ data: { greeting: 'hello' }, extensions: { made: 'here' } });
    },
  }),
};

describe.each([
  ['HTTP', {}],
  ['HTTP next to a plugin with an HTTP hook', { onResponse() {} }],
  ['a WebSocket', undefined],
] as const)('over %s a plugin', (_transport, other) => {
  const ask = async (query: string, plugin: GatewayPlugin): Promise<unknown> => {
    const site = await openGateway({
      plugins: [plugin, ...(other ? [other] : [])],
      live: { socketOperations: 'all' },
    });
    if (other) return (await site.ask(query)).body;
    const [{ type, payload }] = await askSocket(site, query);
    return type === 'error' ? { errors: payload } : payload;
  };

  it('replaces the document of the client', async () => {
    expect(await ask('{ __typename }', withDocument(parse(PAGE)))).toMatchObject({ data: NAME });
  });

  it('replaces the document with one that is validated like the client’s', async () => {
    const body = await ask('{ __typename }', withDocument(parse('{ noSuchField }')));

    expect(body).toMatchObject({ errors: [{ message: expect.stringContaining('noSuchField') }] });
    expect(body).not.toHaveProperty('data');
  });

  it('replaces the schema', async () => {
    expect(await ask('{ greeting }', withSchema)).toMatchObject({ data: { greeting: 'hello' } });
    expect(await ask(PAGE, withSchema)).toMatchObject({
      errors: [{ message: expect.stringContaining('page') }],
    });
  });

  it('extends the execution context', async () => {
    const seen: unknown[] = [];

    const body = await ask(PAGE, {
      onContextBuilding({ extendContext }) {
        extendContext({ tenant: 'blue' } as object);
      },
      onExecute({ args }) {
        seen.push((args.contextValue as { tenant?: string }).tenant);
      },
    });

    expect(body).toMatchObject({ data: NAME });
    expect(seen).toEqual(['blue']);
  });

  it('replaces the execute function', async () => {
    const body = await ask(
      'query Hello { __typename }',
      withExecute(({ operationName, document }) => `${operationName} ${document.kind}`),
    );

    expect(body).toMatchObject({ data: { greeting: expect.stringContaining('Document') } });
  });

  it('replaces the execution result', async () => {
    expect(await ask(PAGE, withResult)).toMatchObject({
      data: { greeting: 'hello' },
      extensions: { made: 'here' },
    });
  });
});

describe.each([
  'onRequest',
  'onRequestParse',
  'onParams',
  'onParse',
  'onValidate',
  'onContextBuilding',
  'onExecute',
  'onResultProcess',
  'onResponse',
] as const)('a plugin that throws in %s next to a plugin with an HTTP hook', (hook) => {
  it('fails its operation with a masked error, and the next one succeeds', async () => {
    let isFailing = true;
    const site = await openGateway({
      plugins: [
        {
          onResponse() {},
        },
        {
          [hook]: () => {
            if (isFailing) throw new Error('10.0.0.7 refused');
          },
        },
      ],
    });

    const failed = await site.ask(PAGE);
    isFailing = false;
    const next = await site.ask(PAGE);

    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('10.0.0.7');
    expect(failed.codes).toEqual(['INTERNAL_SERVER_ERROR']);
    expect(next.data).toEqual(NAME);
  });

  it('fails its operation with the status, headers and code of its GraphQLError', async () => {
    const error = new GraphQLError('Not today.', {
      extensions: { code: 'CLOSED', http: { status: 403, headers: { 'x-day': 'sunday' } } },
    });
    const site = await openGateway({
      plugins: [
        { onResponse() {} },
        {
          [hook]: () => {
            throw error;
          },
        },
      ],
    });

    const { status, headers, body } = await site.ask(PAGE);

    expect([status, headers.get('x-day')]).toEqual([403, 'sunday']);
    expect(body).toEqual({ errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] });
  });
});

describe.each(['onSubscribe', 'onExecuteDone'] as const)('a plugin that throws in %s', (hook) => {
  const subscription = `subscription { pageProgress(id: "${SAMPLE_NODES[0]}") { audiences { audienceId } } }`;

  it('fails its operation with a masked error, and the next one succeeds', async () => {
    let isFailing = true;
    const fail = (): void => {
      if (isFailing) throw new Error('10.0.0.7 refused');
    };
    const site = await openGateway({
      plugins: [
        hook === 'onSubscribe'
          ? { onSubscribe: fail }
          : { onExecute: () => ({ onExecuteDone: fail }) },
      ],
    });

    const { text } = await site.ask(hook === 'onSubscribe' ? subscription : PAGE, {
      headers: hook === 'onSubscribe' ? { accept: 'text/event-stream' } : {},
    });

    expect(text).not.toContain('10.0.0.7');
    expect(text).toContain('INTERNAL_SERVER_ERROR');
    isFailing = false;
    expect((await site.ask('{ __typename }')).status).toBe(200);
  });
});

describe('a plugin with HTTP hooks', () => {
  it('responds to a request itself in onRequest, with a request id', async () => {
    const site = await openGateway({
      plugins: [
        {
          onRequest({ request, endResponse, fetchAPI }) {
            if (request.headers.get('x-app') === 'old') {
              endResponse(new fetchAPI.Response('Update the app.', { status: 410 }));
            }
          },
        },
      ],
    });

    const old = await site.ask(PAGE, { headers: { 'x-app': 'old' } });
    const other = await site.ask(PAGE);

    expect([old.status, old.text]).toEqual([410, 'Update the app.']);
    expect(old.headers.has('x-request-id')).toBe(true);
    expect(other.data).toEqual(NAME);
  });

  it('adds a header in onResponse and keeps the body', async () => {
    const site = await openGateway({
      plugins: [{ onResponse: ({ response }) => response.headers.set('x-served-by', 'plugin') }],
    });

    const { status, headers, data } = await site.ask(PAGE);

    expect([status, headers.get('x-served-by'), data]).toEqual([200, 'plugin', NAME]);
  });

  it('replaces the response in onResponse', async () => {
    const site = await openGateway({
      plugins: [
        {
          onResponse({ setResponse, fetchAPI }) {
            setResponse(new fetchAPI.Response('{"data":null}', { status: 203 }));
          },
        },
      ],
    });

    const { status, text } = await site.ask(PAGE);

    expect([status, text]).toEqual([203, '{"data":null}']);
  });

  it('replaces the result in onResultProcess', async () => {
    const site = await openGateway({
      plugins: [
        {
          onResultProcess({ setResult }) {
            setResult({ data: { greeting: 'hello' } });
          },
        },
      ],
    });

    expect((await site.ask(PAGE)).data).toEqual({ greeting: 'hello' });
  });

  it('observes the start of a subscription in onResponse without affecting its events', async () => {
    const statuses: number[] = [];
    const site = await openGateway({
      plugins: [{ onResponse: ({ response }) => void statuses.push(response.status) }],
    });
    const subscription = `subscription { pageProgress(id: "${SAMPLE_NODES[0]}") { audiences { audienceId } } }`;

    const response = await fetch(`${site.url}/graphql?query=${encodeURIComponent(subscription)}`, {
      headers: { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"audienceId"')) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    await reader.cancel();

    expect(statuses).toEqual([200]);
    expect(text).toContain('"audienceId"');
  });
});
