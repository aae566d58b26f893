/** Calls of prefetching that are not needed: abandoned, not waited for, and without errors. */
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createContext } from '../../src/graph/context.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import type { RestClient } from '../../src/rest/client/client.ts';
import { schema } from '../../src/app/schema.ts';
import { openRest } from '../rest/open-rest.ts';
import { after, ok, silence, status } from '../support/faults.ts';

it('abandons the list of a missing page without waiting for it', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/pages/gone', status(404));
  backend.on('GET /v0/pages/gone/audiences', silence());
  const rest = client();

  const { data, errors } = await execute({
    schema,
    document: parse('{ page(pageId: "gone") { name audiences { nodes { effectiveName } } } }'),
    contextValue: createContext(rest, { apiKey: 'key' }),
  });

  expect({ data, errors }).toEqual({ data: { page: null }, errors: undefined });
  await expectAbandoned(rest, '/v0/pages/{page_id}/audiences');
});

const logId = (log: string) => formatNodeId('AccountLog', ['acme', log]);

it.each([
  ['account', 'type account { name }'],
  ['persons', 'type account { accountId persons { nodes { name } } }'],
])('abandons the call for the %s of a missing log', async (_what, selection) => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/accounts/acme/logs/gone', status(404));
  backend.on('GET /v0/accounts/acme', silence());
  const rest = client();

  const { data, errors } = await execute({
    schema,
    document: parse(`{ node(id: "${logId('gone')}") { ... on AccountLog { ${selection} } } }`),
    contextValue: createContext(rest, { apiKey: 'key' }),
  });

  expect({ data, errors }).toEqual({ data: { node: null }, errors: undefined });
  await expectAbandoned(rest, '/v0/accounts/{account_id}');
});

it('abandons a list that is walked for a missing account', async () => {
  const { backend, client } = await openRest({ routeSet: 'document' });
  backend.on('GET /v0/accounts', ok(NOTHING));
  backend.on('GET /v0/accounts/acme/activity', silence());
  const rest = client();

  const { data, errors } = await execute({
    schema,
    document: parse('{ account(accountId: "acme") { name persons { nodes { name } } } }'),
    contextValue: createContext(rest, { apiKey: 'key' }),
  });

  expect({ data, errors }).toEqual({ data: { account: null }, errors: undefined });
  await expectAbandoned(rest, '/v0/accounts/{account_id}/activity');
});

it('keeps the calls that a parent shares with a missing parent, even if the missing one started them', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/accounts/acme/logs/gone', status(404));
  backend.on('GET /v0/accounts/acme/logs/here', ok(LOG));
  backend.on('GET /v0/accounts/acme/logs', after(50, ok(NOTHING)));
  backend.on('GET /v0/accounts/acme', after(50, ok(ACME)));
  const ids = [logId('gone'), logId('here')].map((id) => JSON.stringify(id));

  const { data, errors } = await execute({
    schema,
    document: parse(`{ nodes(ids: [${ids.join(', ')}]) { ... on AccountLog { type
      account { name persons { totalCount } logs { totalCount } } } } }`),
    contextValue: createContext(client(), { apiKey: 'key' }),
  });

  expect(errors).toBeUndefined();
  expect(data).toEqual({
    nodes: [
      null,
      {
        type: 'visit',
        account: { name: 'Acme', persons: { totalCount: 0 }, logs: { totalCount: 0 } },
      },
    ],
  });
  expect(backend.seen.map(({ target }) => target.split('?')[0]).sort()).toEqual([
    '/v0/accounts/acme',
    '/v0/accounts/acme/logs',
    '/v0/accounts/acme/logs/gone',
    '/v0/accounts/acme/logs/here',
  ]);
});

async function expectAbandoned(rest: RestClient, path: string): Promise<void> {
  const call = rest.callLog.entries.find(({ route }) => route.path === path)!;
  await expect.poll(() => call.endMs).toBeLessThan(1_000);
  expect(call.status).toBeUndefined();
}

const NOTHING = { items: [], hasMore: false, nextCursor: null, totalCount: 0 };

const LOG = {
  accountId: 'acme',
  accountLogId: 'here',
  source: 'web',
  type: 'visit',
  payload: {},
  idempotencyKey: null,
  createdAt: '+1700000000000',
  updatedAt: null,
  deletedAt: null,
};

const ACME = {
  accountId: 'acme',
  domain: 'acme.example',
  name: 'Acme',
  createdAt: '+1700000000000',
  updatedAt: '+1700000000000',
  latestActivityAt: null,
  linkedPersons: [],
};

it('abandons a call for a page when a list shows that the page is missing', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/pages/gone/audiences', status(404));
  backend.on('GET /v0/page_links', silence());
  const rest = client();

  const { data } = await execute({
    schema,
    document: parse(`{ page(pageId: "gone") {
      pageId audiences { nodes { audienceId } } links { nodes { path } } } }`),
    contextValue: createContext(rest, { apiKey: 'key' }),
  });

  expect(data).toEqual({ page: null });
  await expectAbandoned(rest, '/v0/page_links');
});

it('starts no call for a field with invalid arguments', async () => {
  const { backend, client } = await openRest();
  backend.on('GET /v0/accounts/acme/logs/here', ok(LOG));

  const { data, errors } = await execute({
    schema,
    document: parse(`{ node(id: "${logId('here')}") { ... on AccountLog { type account {
      accountId persons(first: 500) { totalCount } logs(first: -1) { totalCount } } } } }`),
    contextValue: createContext(client(), { apiKey: 'key' }),
  });

  expect(data).toEqual({
    node: { type: 'visit', account: { accountId: 'acme', persons: null, logs: null } },
  });
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(
    Array(2).fill('BAD_USER_INPUT'),
  );
  expect(backend.seen).toHaveLength(1);
});
