/**
 * The list of plugins: what an operator adds to it, and that each line of ours is its whole mechanism.
 */
import { createHmac } from 'node:crypto';
import { useDisableIntrospection } from '@envelop/disable-introspection';
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases';
import { createInlineSigningKeyProvider, useJWT } from '@graphql-yoga/plugin-jwt';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import type { GatewayPlugin } from '../../src/server/operation/gateway-plugin.ts';
import { openSocket, until } from '../live/support.ts';
import { IDS } from '../support/ids.ts';
import { openGateway, type InProcessGateway } from '../support/open-gateway.ts';

const PAGE = { query: `{ page(pageId: "${IDS.page}") { name } }` };

/** Published plugins have types of other contexts. */
const published = (plugin: object): GatewayPlugin => plugin;

describe('a published plugin', () => {
  it('of Yoga refuses callers without a token, and lets others pass', async () => {
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

    expect([refused.status, refused.body.data]).toEqual([401, undefined]);
    expect(passed.body).toMatchObject({ data: { page: { name: expect.any(String) } } });
  });

  it('of Envelop adds a rule of validation', async () => {
    const site = await openGateway({ plugins: [published(useDisableIntrospection())] });

    const { status, body } = await site.ask('{ __schema { queryType { name } } }');

    expect([status, body.data]).toEqual([400, undefined]);
    expect((await site.ask(PAGE.query)).body.errors).toBeUndefined();
  });

  it('of graphql-armor throws an error that is ours, with its message', async () => {
    const site = await openGateway({ plugins: [published(maxAliasesPlugin({ n: 1 }))] });

    const { body } = await site.ask(`{ page(pageId: "${IDS.page}") { a: name b: name c: name } }`);

    expect(body.data).toBeUndefined();
    expect(body.errors[0].message).toContain('Aliases limit of 1 exceeded');
  });
});

describe('a plugin of fifteen lines', () => {
  it('logs operations that are slow, over the plain lane', async () => {
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

  it('reads method, URL and headers of the request', async () => {
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
});

describe.each(['onParams', 'onParse', 'onValidate', 'onContextBuilding', 'onExecute'] as const)(
  'a plugin that throws in %s',
  (hook) => {
    const thrower = (error: Error): GatewayPlugin => ({
      [hook]: () => {
        throw error;
      },
    });

    it('fails its operation with what it meant for callers', async () => {
      const error = new GraphQLError('Not today.', {
        extensions: { code: 'CLOSED', http: { status: 403, headers: { 'x-day': 'sunday' } } },
      });
      const site = await openGateway({ plugins: [thrower(error)] });

      const { status, headers, body } = await site.ask(PAGE.query);

      expect(status).toBe(403);
      expect(headers.get('x-day')).toBe('sunday');
      expect(body).toEqual({ errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] });
    });

    it('fails its operation alone, and tells callers nothing else', async () => {
      const site = await openGateway({ plugins: [thrower(new Error('10.0.0.7 refused'))] });

      const { status, text } = await site.ask(PAGE.query);

      expect(status).toBe(500);
      expect(text).not.toContain('10.0.0.7');
      expect(text).toContain('Unexpected error.');
    });

    // Messages of a WebSocket are no requests, and have no parameters of HTTP.
    it.skipIf(hook === 'onParams')('closes no WebSocket', async () => {
      const site = await openGateway({
        plugins: [thrower(new Error('no'))],
        live: { socketOperations: 'all' },
      });
      const socket = await openSocket(site.url);

      socket.subscribe('a', {}, PAGE.query);
      await until(() => socket.received('error').length + socket.received('next').length === 1);

      expect(JSON.stringify([...socket.received('error'), ...socket.received('next')])).toContain(
        'Unexpected error.',
      );
      expect(socket.socket.readyState).toBe(socket.socket.OPEN);
    });
  },
);

describe('without its line', () => {
  const openWithout = (name: string, options = {}) =>
    openGateway({
      ...options,
      arrange: (plugins) =>
        Object.fromEntries(Object.entries(plugins).filter(([one]) => one !== name)),
    });
  const many = `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: __typename`).join(' ')} }`;

  it('metrics counts no operation', async () => {
    const counted = async (site: InProcessGateway) => {
      await site.ask(PAGE.query);
      return (await fetch(`${site.url}/metrics`)).text();
    };
    expect(await counted(await openGateway())).toMatch(/gateway_requests_total\{[^}]*\} 1/);
    expect(await counted(await openWithout('metrics'))).not.toMatch(/gateway_requests_total\{/);
  });

  it('documentLimits refuses no document for its aliases', async () => {
    expect((await (await openGateway()).ask(many)).status).toBe(400);
    expect((await (await openWithout('documentLimits')).ask(many)).status).toBe(200);
  });

  it('operationKind leaves mutations by GET to Yoga, in its words', async () => {
    const query = 'mutation { restorePage(input: { id: "x" }) { page { id } } }';
    const ask = async (site: { readonly url: string }) => (await byGet(site, query)).text();
    expect(await ask(await openGateway())).toContain('Send a mutation by POST.');
    expect(await ask(await openWithout('operationKind'))).toContain('from a POST request');
  });

  it('budget runs what costs too much', async () => {
    const site = await openGateway({ limits: { maxUpstreamCalls: 1 } });
    const without = await openWithout('budget', { limits: { maxUpstreamCalls: 1 } });
    const two = `{ a: page(pageId: "a") { name } b: page(pageId: "b") { name } }`;
    expect((await site.ask(two)).codes).toEqual(['QUERY_TOO_EXPENSIVE']);
    expect((await without.ask(two)).codes).not.toContain('QUERY_TOO_EXPENSIVE');
  });

  it('serverTiming sends no such header', async () => {
    const header = async (site: InProcessGateway) =>
      (await site.ask(PAGE.query)).headers.has('server-timing');
    expect(await header(await openGateway())).toBe(true);
    expect(await header(await openWithout('serverTiming'))).toBe(false);
  });

  it('validators sends no tag', async () => {
    const tag = async (site: { readonly url: string }) =>
      (await byGet(site, PAGE.query)).headers.get('etag');
    expect(await tag(await openGateway())).toMatch(/^"/);
    expect(await tag(await openWithout('validators'))).toBeNull();
  });
});

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
