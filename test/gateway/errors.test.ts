/** Errors as callers see them, and as they are logged. */
import { describe, expect, it, onTestFinished } from 'vitest';

import { openGateway } from '../support/open-gateway.ts';
import { openLog } from '../support/open-log.ts';
import type { Upstream } from '../../src/rest/upstream.ts';

const SECRET = 'connect to http://10.1.2.3:5432 failed';

/** An upstream with a bug. */
const broken: Upstream = Object.assign(
  () => {
    throw new TypeError(SECRET);
  },
  {
    breaker: { stateOf: () => 'closed', tripped: [] } as const,
    isAccepted: () => true,
    limiter: { mayBegin: () => true, whenRoom: () => {} },
    routes: () => ({}),
    close: async () => {},
  },
);

it.each(['development', 'test', 'production', undefined])(
  'masks an unexpected error with NODE_ENV %s and logs its cause',
  async (mode) => {
    const before = process.env['NODE_ENV'];
    onTestFinished(() => {
      process.env['NODE_ENV'] = before;
    });
    if (mode === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = mode;
    const { lines, logger } = openLog();
    const { ask } = await openGateway({ upstream: broken, logger });

    const { status, body, headers } = await ask('{ __typename }');

    expect(status).toBe(500);
    expect(body).toEqual({
      errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    });
    const requestId = headers.get('x-request-id');
    expect(lines.filter(({ err }) => err?.message === SECRET)).toMatchObject([{ requestId }]);
  },
);

describe('a rejected document', () => {
  it.each([
    ['{ page(', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query A { __typename } query B { __typename }', 'OPERATION_RESOLUTION_FAILURE'],
    ['query ($id: ID!) { page(pageId: $id) { name } }', 'BAD_USER_INPUT'],
  ])(
    '%s returns a code and 400, or 200 for application/json if an operation is found',
    async (query, code) => {
      const site = await openGateway();

      const modern = await site.ask(query);
      const legacy = await site.ask(query, { headers: { accept: 'application/json' } });

      expect([modern.status, modern.codes]).toEqual([400, [code]]);
      expect([legacy.status, legacy.codes]).toEqual([
        code === 'OPERATION_RESOLUTION_FAILURE' ? 400 : 200,
        [code],
      ]);
      expect(modern.body).not.toHaveProperty('data');
      expect(site.restCalls).toEqual([]);
    },
  );

  it('suggests a similar field or enum value unless introspection is off', async () => {
    const open = await openGateway();
    const closed = await openGateway({ tools: { introspection: 'off' } });

    const suggesting = await open.ask('{ pagee(pageId: "x") { name } }');
    const silent = await closed.ask('{ pagee(pageId: "x") { name } }');

    expect(suggesting.body.errors[0].message).toContain('"page"');
    expect(silent.body.errors[0].message).toContain('"pagee"');
    expect(silent.body.errors[0].message).not.toContain('"page"');

    const query =
      'mutation ($i: CreateAudienceInput!) { createAudience(input: $i) { audience { id } } }';
    const variables = { i: { pageId: 'p', publishBehavior: 'publsh' } };
    const ofVariables = await open.ask(query, { variables });
    const silentOfVariables = await closed.ask(query, { variables });
    expect(ofVariables.errors[0].message).toContain('"publish"');
    expect(silentOfVariables.text).toContain('publsh');
    expect(silentOfVariables.errors[0].message).not.toContain('"publish"');
  });

  it('is one that selects __schema while introspection is off', async () => {
    const site = await openGateway({ tools: { introspection: 'off' } });

    const { status, codes } = await site.ask('{ __schema { types { name } } }');

    expect([status, codes]).toEqual([
      400,
      ['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
    ]);
  });
});

describe('introspection for clients with an API key (INTROSPECTION=keys)', () => {
  const SCHEMA = '{ ...S } fragment S on Query { __schema { queryType { name } } }';

  it('is allowed with an API key and rejected without one, even next to fields that need no key', async () => {
    const site = await openGateway({ tools: { introspection: 'keys' }, apiKey: 'demo' });
    const ask = (query: string, headers = {}) => site.post({ query }, headers);

    const withKey = await ask(SCHEMA, { 'x-api-key': 'any' });
    const without = await ask(SCHEMA);
    const beside = await ask('{ topics { totalCount } __type(name: "Page") { name } }');
    const typename = await ask('{ __typename }');

    expect(withKey.body).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
    expect([without.status, without.codes]).toEqual([401, ['UNAUTHENTICATED']]);
    expect(without.text).toContain('INTROSPECTION=keys');
    expect([beside.status, beside.codes]).toEqual([401, ['UNAUTHENTICATED']]);
    expect(typename.body).toEqual({ data: { __typename: 'Query' } });
  });

  it('is not leaked through suggestions in errors', async () => {
    const site = await openGateway({ tools: { introspection: 'keys' } });

    const { body } = await site.ask('{ pagee(pageId: "x") { name } }');

    expect(body.errors[0].message).toContain('"pagee"');
    expect(body.errors[0].message).not.toContain('"page"');
  });
});

describe('an API key', () => {
  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const { post, restCalls } = await openGateway();
    const reply = await post({ query }, headers);
    expect(restCalls).toEqual([]);
    return reply;
  };

  it.each([
    ['a lookup', '{ page(pageId: "page_northwind") { name } }'],
    ['a lookup next to __typename', '{ __typename page(pageId: "page_northwind") { name } }'],
    ['a field in a fragment', '{ ...F } fragment F on Query { topics { totalCount } }'],
    ['a mutation', 'mutation { restorePage(input: { id: "x" }) { page { name } } }'],
    ['an unknown field', '{ nothing }'],
  ])('is required before validation for %s', async (_what, query) => {
    const modern = await ask(query);
    const legacy = await ask(query, { accept: 'application/json' });

    for (const reply of [modern, legacy]) {
      expect([reply.status, reply.codes]).toEqual([401, ['UNAUTHENTICATED']]);
      expect(reply.body).not.toHaveProperty('data');
    }
  });

  it.each([
    ['__typename', '{ __typename }', { __typename: 'Query' }],
    ['the name of a type', '{ __type(name: "Page") { name } }', { __type: { name: 'Page' } }],
    [
      'the schema',
      '{ __schema { queryType { name } } }',
      { __schema: { queryType: { name: 'Query' } } },
    ],
  ])('is not required for %s', async (_what, query, data) => {
    expect((await ask(query)).body).toEqual({ data });
  });

  it('is not required to receive the error for a document that is unparsable or too large', async () => {
    expect((await ask('{ page(')).codes).toEqual(['GRAPHQL_PARSE_FAILED']);
    expect((await ask(`{ ${'a '.repeat(3_000)} }`)).codes).toEqual(['QUERY_TOO_LARGE']);
  });

  it('defaults to the deployment’s key for clients without one', async () => {
    const { post } = await openGateway({ apiKey: 'demo' });

    const reply = await post({ query: '{ page(pageId: "page_northwind") { name } }' });

    expect(reply.body).toEqual({ data: { page: { name: 'Northwind launch' } } });
  });

  it.each([
    ['empty', ''],
    ['with a space in it', 'de mo'],
    ['not ASCII', 'd\u00e9mo'],
    ['too long', 'x'.repeat(1_025)],
    ['sent twice', 'demo, demo'],
  ])('is rejected when it is %s, even if the deployment has a default', async (_what, key) => {
    const { ask, restCalls } = await openGateway({ apiKey: 'demo' });

    const { status, codes, text } = await ask('{ page(pageId: "page_northwind") { name } }', {
      headers: { 'x-api-key': key },
    });

    expect([status, codes]).toEqual([401, ['UNAUTHENTICATED']]);
    expect(restCalls).toEqual([]);
    expect(key === '' || !text.includes(key)).toBe(true);
  });

  it('is never logged, and neither are variables and documents', async () => {
    const { lines, logger } = openLog();
    const { ask } = await openGateway({ logger });
    const headers = { 'x-api-key': 'demo-two', 'x-request-id': 'mine-1' };

    await ask('query Named($id: ID!) { page(pageId: $id) { name } }', {
      variables: { id: 'page_secret' },
      headers,
    });
    await ask('mutation { restorePage(input: { id: "secret" }) { page { name } } }', { headers });
    await ask('{ secretField }', { headers });

    const text = JSON.stringify(lines);
    expect(text).not.toMatch(/demo-two|secret/);
    expect(lines[0]).toMatchObject({
      requestId: 'mine-1',
      operationName: 'Named',
      operationType: 'query',
      calls: 1,
      rounds: 1,
      status: 200,
      outcome: 'ok',
      durationMs: expect.any(Number),
    });
    expect(lines[2]).toMatchObject({ errorCodes: ['GRAPHQL_VALIDATION_FAILED'], calls: 0 });
  });
});

describe('the name of an operation', () => {
  const TWO = 'query A { __typename } query B { __typename } fragment F on Query { __typename }';
  const MANY = Array.from({ length: 12 }, (_, i) => `query Q${i} { __typename }`).join(' ');

  it.each<[what: string, query: string, operationName: string | undefined, message: RegExp]>([
    ['that is unknown', TWO, 'C', /"C".*"A", "B"/],
    ['that is missing', TWO, undefined, /`operationName`.*"A", "B"/],
    ['that an anonymous operation lacks', '{ __typename }', 'A', /"A"/],
    ['that is unknown among twelve', MANY, 'x', /"x".*"Q0", .*"Q9", .*\b2\b/],
    ['of a document with fragments alone', 'fragment F on Query { __typename }', 'F', /fragments/],
  ])(
    '%s is rejected with the names in the document',
    async (_what, query, operationName, message) => {
      const { ask } = await openGateway();

      const { status, errors, codes } = await ask(query, { operationName });

      expect([status, codes]).toEqual([400, ['OPERATION_RESOLUTION_FAILURE']]);
      expect(errors[0].message).toMatch(message);
    },
  );

  it('is truncated in the message when it is long', async () => {
    const { ask } = await openGateway();

    const { errors } = await ask(TWO, { operationName: 'x'.repeat(50_000) });

    expect(errors[0].message.length).toBeLessThanOrEqual(400);
  });
});

describe('a request id', () => {
  it('is echoed when it is valid', async () => {
    const { ask } = await openGateway();

    const { headers } = await ask('{ __typename }', { headers: { 'x-request-id': 'mine-7' } });

    expect(headers.get('x-request-id')).toBe('mine-7');
  });

  it.each([['x'.repeat(129)], ['a b'], ['<script>'], ['']])(
    'is replaced with a new one when it is "%s"',
    async (id) => {
      const { ask } = await openGateway();

      const { headers } = await ask('{ __typename }', { headers: { 'x-request-id': id } });

      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

it('reports a rejected variable and the path of the invalid value in it', async () => {
  const { ask } = await openGateway();

  const { body } = await ask(
    'mutation ($i: UpdateTopicInput!) { updateTopic(input: $i) { topic { id } } }',
    { variables: { i: { id: 'x', sortOrder: true } } },
  );

  expect(body.errors[0].message).toMatch(/"\$i".* true .*"i\.sortOrder"/);
  expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
});
