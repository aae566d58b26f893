/** Operators' plugins, and the gateway without single lines of the list of policies, each a whole mechanism. */
import { createHash, createHmac } from 'node:crypto';
import { useDisableIntrospection } from '@envelop/disable-introspection';
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
import { createInlineSigningKeyProvider, useJWT } from '@graphql-yoga/plugin-jwt';
import { GraphQLError, type ExecutionResult, type ValidationRule } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import type { GatewayPlugin } from '../../src/gateway/yoga/gateway-plugin.ts';
import { openSocket } from '../live/support.ts';
import { NO_BREAKER } from '../rest/open-rest.ts';
import { isOperation, type LogLine, openLog } from '../support/open-log.ts';
import { openFaultUpstream } from '../support/fault-upstream.ts';
import { held, status } from '../support/faults.ts';
import { openFolder } from '../support/folder.ts';
import { IDS, SAMPLE_NODES } from '../support/ids.ts';
import { POST_JSON, send } from '../support/client.ts';
import {
  openGateway,
  type InProcessGateway,
  type InProcessOptions,
} from '../support/open-gateway.ts';
import { until } from '../support/until.ts';
import { world } from '../support/world.ts';

const PAGE = { query: `{ page(pageId: "${IDS.page}") { name } }` };

/** A published plugin, which is typed for another context. */
const published = (plugin: object): GatewayPlugin => plugin;

describe('a published plugin', () => {
  it('from Yoga rejects a client without a token and serves one with a token', async () => {
    const secret = 'a secret that is long enough for a test';
    const site = await openGateway({
      plugins: [
        published(
          useJWT({
            signingKeyProviders: [createInlineSigningKeyProvider(secret)],
            tokenVerification: { algorithms: ['HS256'] },
          }),
        ),
      ],
    });

    const refused = await site.ask(PAGE.query);
    const passed = await site.ask(PAGE.query, {
      headers: { authorization: `Bearer ${tokenOf(secret)}` },
    });

    expect([refused.status, refused.codes, refused.body.data]).toEqual([
      401,
      ['UNAUTHENTICATED'],
      undefined,
    ]);
    expect(passed.body).toMatchObject({ data: { page: { name: expect.any(String) } } });
  });

  it('from Envelop adds a validation rule', async () => {
    const site = await openGateway({ plugins: [published(useDisableIntrospection())] });

    const { status, body } = await site.ask('{ __schema { queryType { name } } }');

    expect([status, body.data]).toEqual([400, undefined]);
    expect((await site.ask(PAGE.query)).body.errors).toBeUndefined();
  });

  it('from graphql-armor rejects a document with its own message', async () => {
    const site = await openGateway({ plugins: [published(maxAliasesPlugin({ n: 1 }))] });

    const { body } = await site.ask(`{ page(pageId: "${IDS.page}") { a: name b: name c: name } }`);

    expect(body.data).toBeUndefined();
    expect(body.errors[0].message).toContain('Aliases limit of 1 exceeded');
  });
});

describe('a small plugin', () => {
  it('logs the name of a slow operation', async () => {
    const slow: (string | undefined)[] = [];
    const useSlowLog = (ms: number): GatewayPlugin => ({
      onExecute({ context }) {
        const startMs = performance.now();
        return {
          onExecuteDone() {
            if (performance.now() - startMs >= ms) slow.push(context.record.operationName);
          },
        };
      },
    });
    const site = await openGateway({ plugins: [useSlowLog(0)] });

    await site.ask(`query Slow ${PAGE.query}`);

    expect(slow).toEqual(['Slow']);
  });

  it('adds a validation rule for some clients, although the document is cached for others', async () => {
    const noAliases: ValidationRule = (context) => ({
      Field({ alias }) {
        if (alias) context.reportError(new GraphQLError('No aliases here.'));
      },
    });
    const site = await openGateway({
      plugins: [
        {
          onValidate({ context: { request }, addValidationRule }) {
            if (request?.headers.get('x-app') === 'strict') addValidationRule(noAliases);
          },
        },
      ],
    });
    const ask = async (app: string) =>
      (await site.ask('{ kind: __typename }', { headers: { 'x-app': app } })).status;

    const statuses = [await ask('web'), await ask('strict'), await ask('web'), await ask('strict')];

    expect(statuses).toEqual([200, 400, 200, 400]);
  });

  it('reads the method, URL and headers of the request', async () => {
    const seen: unknown[] = [];
    const site = await openGateway({
      plugins: [
        {
          onContextBuilding({ context: { request } }) {
            seen.push(request?.method, request?.url, request?.headers.get('x-app'));
          },
        },
      ],
    });

    await site.ask(PAGE.query, { headers: { 'x-app': 'web' } });

    expect(seen).toEqual(['POST', 'http://gateway/graphql', 'web']);
  });

  it('sees the errors that the client sees', async () => {
    const seen: unknown[] = [];
    const site = await openGateway({
      backend: 'faulty',
      plugins: [
        {
          onExecutionResult({ result }) {
            seen.push(...((result as ExecutionResult).errors ?? []));
          },
        },
      ],
    });
    site.upstream.on('*', status(500));

    const { body } = await site.ask(PAGE.query);

    expect(body.errors).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(seen))).toEqual(body.errors);
  });
});

describe('a Fetch API request', () => {
  it('is not created for a plugin that does not read it', async () => {
    const created: boolean[] = [];
    const site = await openGateway({
      plugins: [{ onExecute: ({ context }) => void created.push(!!context.requestMade) }],
    });

    await site.ask(PAGE.query);

    expect(created).toEqual([false]);
  });

  it('reaches the HTTP hook of a plugin that another plugin adds', async () => {
    const seen: string[] = [];
    const added: GatewayPlugin = { onResponse: ({ request }) => void seen.push(request.method) };
    const site = await openGateway({
      plugins: [{ onPluginInit: ({ addPlugin }) => addPlugin(added as object) }],
    });

    await site.ask(PAGE.query);

    expect(seen).toEqual(['POST']);
  });
});

it.each([
  ['onParse', { onParse() {} }],
  ['onParams', { onParams() {} }],
  ['onResponse', { onResponse() {} }],
])('a mutation by GET returns the gateway’s error next to a plugin with %s', async (_, plugin) => {
  const site = await openGateway({ plugins: [plugin] });

  const response = await byGet(
    site,
    'mutation { restorePage(input: { id: "x" }) { page { id } } }',
  );

  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }],
  });
});

describe.each(['onParams', 'onParse', 'onValidate', 'onContextBuilding', 'onExecute'] as const)(
  'a plugin that throws in %s',
  (hook) => {
    const thrower = (error: Error): GatewayPlugin => ({
      [hook]: () => {
        throw error;
      },
    });

    it('fails its operation with the status, headers and code of its GraphQLError', async () => {
      const error = new GraphQLError('Not today.', {
        extensions: { code: 'CLOSED', http: { status: 403, headers: { 'x-day': 'sunday' } } },
      });
      const site = await openGateway({ plugins: [thrower(error)] });

      const { status, headers, body } = await site.ask(PAGE.query);

      expect(status).toBe(403);
      expect(headers.get('x-day')).toBe('sunday');
      expect(body).toEqual({ errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] });
    });

    it('fails its operation with 500 and masks any other error', async () => {
      const site = await openGateway({ plugins: [thrower(new Error('10.0.0.7 refused'))] });

      const { status, text } = await site.ask(PAGE.query);

      expect(status).toBe(500);
      expect(text).not.toContain('10.0.0.7');
      expect(text).toContain('INTERNAL_SERVER_ERROR');
    });

    // A message of a WebSocket has no HTTP parameters.
    it.skipIf(hook === 'onParams')(
      'masks its error over a WebSocket and keeps the socket open',
      async () => {
        const site = await openGateway({
          plugins: [thrower(new Error('no'))],
          live: { socketOperations: 'all' },
        });
        const socket = await openSocket(site.url);

        socket.subscribe('a', {}, PAGE.query);
        await until(() => socket.received('error').length + socket.received('next').length === 1);

        expect(JSON.stringify([...socket.received('error'), ...socket.received('next')])).toContain(
          'INTERNAL_SERVER_ERROR',
        );
        expect(socket.socket.readyState).toBe(socket.socket.OPEN);
      },
    );
  },
);

describe('without its entry in the list of policies', () => {
  const openWithout = (name: string, options = {}) =>
    openGateway({
      ...options,
      // None, since Yoga, which hosts plugins, has some of these rules too.
      plugins: [],
      arrange: (policies) =>
        Object.fromEntries(Object.entries(policies).filter(([one]) => one !== name)),
    });

  it('metrics counts no operations', async () => {
    const counted = async (site: InProcessGateway) => {
      await site.ask(PAGE.query);
      return (await fetch(`${site.url}/metrics`)).text();
    };
    expect(await counted(await openGateway())).toMatch(/gateway_requests_total\{[^}]*\} 1/);
    expect(await counted(await openWithout('metrics'))).not.toMatch(
      /gateway_requests_total\{[^}]*\} [1-9]/,
    );
  });

  it('operationKind accepts mutations by GET', async () => {
    const query = 'mutation { restorePage(input: { id: "x" }) { page { id } } }';
    const ask = async (site: { readonly url: string }) => (await byGet(site, query)).status;
    expect(await ask(await openGateway())).toBe(405);
    expect(await ask(await openWithout('operationKind'))).toBe(200);
  });

  it('budget rejects no operation for its cost', async () => {
    const site = await openGateway({ limits: { maxUpstreamCalls: 1 } });
    const without = await openWithout('budget', { limits: { maxUpstreamCalls: 1 } });
    const two = `{ a: page(pageId: "a") { name } b: page(pageId: "b") { name } }`;
    expect((await site.ask(two)).codes).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect((await without.ask(two)).codes).not.toContain('QUERY_TOO_EXPENSIVE');
  });

  it('log writes no lines for operations', async () => {
    const linesWith = async (
      open: (options: InProcessOptions) => Promise<InProcessGateway>,
    ): Promise<LogLine[]> => {
      const { lines, logger } = openLog('info');
      await (await open({ logger })).ask(PAGE.query);
      return lines.filter(isOperation);
    };
    expect(await linesWith(openGateway)).toHaveLength(1);
    expect(await linesWith((options) => openWithout('log', options))).toEqual([]);
  });

  it('forwardedHeaders does not limit the length of forwarded headers', async () => {
    const forward = { headers: { forward: ['x-long'] } };
    const codes = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query, { headers: { 'x-long': 'a'.repeat(6_001) } })).codes;
    expect(await codes(await openGateway(forward))).toEqual(['HEADERS_TOO_LARGE']);
    expect(await codes(await openWithout('forwardedHeaders', forward))).toEqual([]);
  });

  it('exposedHeaders exposes no backend headers', async () => {
    const expose = { headers: { expose: ['content-type'] } }; // Settings reject this name.
    const typeOf = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query)).headers.get('content-type');
    expect(await typeOf(await openGateway(expose))).toContain('application/json');
    expect(await typeOf(await openWithout('exposedHeaders', expose))).not.toContain(
      'application/json',
    );
  });

  it('httpRequest accepts the method PUT', async () => {
    const ask = async (site: InProcessGateway) => {
      const headers = { ...POST_JSON, 'x-api-key': EXAMPLE_API_KEY };
      const init = { method: 'PUT', headers, body: JSON.stringify(PAGE) };
      return (await send(`${site.url}/graphql`, init)).status;
    };
    expect(await ask(await openGateway())).toBe(405);
    expect(await ask(await openWithout('httpRequest'))).toBe(200);
  });

  it('trustedDocuments rejects no untrusted documents', async () => {
    const folder = openFolder({ 'web-1.json': { [sha256(PAGE.query)]: PAGE.query } });
    const documents = { folder, only: true };
    const ask = async (site: InProcessGateway) => (await site.ask('{ __typename }')).codes;
    expect(await ask(await openGateway({ documents }))).toEqual(['TRUSTED_DOCUMENT_REQUIRED']);
    expect(await ask(await openWithout('trustedDocuments', { documents }))).toEqual([]);
  });

  it('apiKey does not reject a malformed key', async () => {
    const statusOf = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query, { apiKey: 'no key' })).status;
    expect(await statusOf(await openGateway())).toBe(401);
    expect(await statusOf(await openWithout('apiKey'))).toBe(200);
  });

  it('serverTiming sends no Server-Timing header', async () => {
    const header = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query)).headers.has('server-timing');
    expect(await header(await openGateway())).toBe(true);
    expect(await header(await openWithout('serverTiming'))).toBe(false);
  });

  it('validators sends no ETag', async () => {
    const tag = async (site: { readonly url: string }) =>
      (await byGet(site, PAGE.query)).headers.get('etag');
    expect(await tag(await openGateway())).toMatch(/^"/);
    expect(await tag(await openWithout('validators'))).toBeNull();
  });

  it('execution resolves no fields', async () => {
    const name = async (site: InProcessGateway) => (await site.ask(PAGE.query)).data?.page?.name;
    expect(await name(await openGateway())).toEqual(expect.any(String));
    expect(await name(await openWithout('execution'))).toBeUndefined();
  });

  it('admission does not shed operations with 503', async () => {
    const statuses = async (open: (options: InProcessOptions) => Promise<InProcessGateway>) => {
      const upstream = await openFaultUpstream();
      onTestFinished(() => upstream.stop());
      const answer = held(world());
      upstream.on('*', answer.behaviour);
      const site = await open({
        backend: new URL(upstream.url),
        rest: { connections: 1, maxQueue: 1, breaker: NO_BREAKER },
      });
      const asked = Array.from({ length: 6 }, (_, i) =>
        site.ask(`{ page(pageId: "p${i}") { name } }`),
      );
      await Promise.race(asked); // A shed operation gets a response first.
      answer.release();
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await statuses(openGateway)).toContain(503);
    expect(await statuses((options) => openWithout('admission', options))).not.toContain(503);
  });

  it('incrementalDelivery sends no incremental parts', async () => {
    expect(await partsOf(await openGateway())).toContain('"hasNext":false');
    expect(await partsOf(await openWithout('incrementalDelivery'))).not.toContain(
      '"hasNext":false',
    );
  });

  it('subscriptions delivers no events', async () => {
    const query = `subscription { pageProgress(id: "${SAMPLE_NODES[0]}") { audiences { audienceId } } }`;
    const deliversWithin = async (ms: number, site: InProcessGateway): Promise<boolean> => {
      const headers = { accept: 'text/event-stream', 'x-api-key': EXAMPLE_API_KEY };
      const url = `${site.url}/graphql?query=${encodeURIComponent(query)}`;
      try {
        const { body } = await fetch(url, { headers, signal: AbortSignal.timeout(ms) });
        const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
        for (let text = ''; !text.includes('"audienceId"');) {
          const { value, done } = await reader.read();
          if (done) return false;
          text += value;
        }
        await reader.cancel();
        return true;
      } catch {
        return false;
      }
    };
    expect(await deliversWithin(30_000, await openGateway())).toBe(true);
    expect(await deliversWithin(1_000, await openWithout('subscriptions'))).toBe(false);
  });

  it('compression sends responses uncompressed', async () => {
    const query = `{ ${Array.from({ length: 25 }, (_, i) => `a${i}_with_a_long_name_of_its_own_in_the_answer: __typename`).join(' ')} }`;
    const coding = async (site: InProcessGateway) => {
      const { headers } = await site.ask(query, { headers: { 'accept-encoding': 'br' } });
      return headers.get('content-encoding');
    };
    expect(await coding(await openGateway())).toBe('br');
    expect(await coding(await openWithout('compression'))).toBeNull();
  });

  it('cors sends no CORS headers to an allowed origin', async () => {
    const origin = 'https://app.example.com';
    const http = { corsOrigins: [origin] };
    const allowed = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query, { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await allowed(await openGateway({ http }))).toBe(origin);
    expect(await allowed(await openWithout('cors', { http }))).toBeNull();
  });
});

const partsOf = async (site: InProcessGateway): Promise<string> => {
  const query = `{ page(pageId: "${IDS.page}") { name ... @defer { audiences(first: 1) { nodes { person { name } } } } } }`;
  return (await site.ask(query, { headers: { accept: 'multipart/mixed;deferSpec=20220824' } }))
    .text;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const byGet = (site: { readonly url: string }, query: string): Promise<Response> =>
  fetch(`${site.url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { 'x-api-key': EXAMPLE_API_KEY },
  });

/** A JSON Web Token. Source: RFC 7515, section 3.1. */
function tokenOf(secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'a' })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
