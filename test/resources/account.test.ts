/** Accounts: both lists with their flags, the lookup, and the calls that each takes. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { DOCUMENT_ROUTES, openGateway } from '../support/open-gateway.ts';

const ACCOUNT = IDS.account;

describe('account', () => {
  it('has the same fields by id as in the list, including linkedPersonsCount, in one call', async () => {
    const gateway = await openGateway();
    const { data: listed } = await gateway.ask(
      '{ accounts(first: 1) { nodes { id accountId domain name createdAt linkedPersonsCount } } }',
    );

    const { data, errors } = await gateway.ask(
      `{ account(accountId: "${ACCOUNT}") { id accountId domain name createdAt linkedPersonsCount } }`,
    );

    expect(errors).toEqual([]);
    expect(data['account']).toEqual(listed['accounts'].nodes[0]);
    expect(data['account'].linkedPersonsCount).toBe(12);
    expect(gateway.restCalls).toEqual([`GET /v0/accounts/${ACCOUNT}`]);
  });

  it('is null for an unknown id, and BAD_USER_INPUT for "..", without a call', async () => {
    const gateway = await openGateway();

    const missing = await gateway.ask('{ account(accountId: "nobody") { name } }');
    const refused = await gateway.ask('{ account(accountId: "..") { name } }');

    expect(missing).toMatchObject({ data: { account: null }, status: 200 });
    expect(missing.errors).toEqual([]);
    expect(refused.errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(gateway.restCalls).toEqual([]);
  });

  it('is read once for its own fields, its persons and their account, in one round trip with logs and activity', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 20 } });

    const { data, errors } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") { name
      persons { nodes { name account { name } } } logs { nodes { type } } activity { nodes { type } } } }`);

    const { name, persons } = data['account'];
    expect(errors).toEqual([]);
    expect(new Set(persons.nodes.map((person: any) => person.account.name))).toEqual(
      new Set([name]),
    );
    expect(gateway.restCalls.toSorted()).toEqual([
      `GET /v0/accounts/${ACCOUNT}`,
      `GET /v0/accounts/${ACCOUNT}/activity?limit=20`,
      `GET /v0/accounts/${ACCOUNT}/logs?limit=20`,
    ]);
    expect(gateway.journal.rounds).toBe(1);
  });
});

it.each([
  ['', '/v0/accounts?limit=2'],
  [', query: null, includeEmptyOnly: null', '/v0/accounts?limit=2'],
  [', includeEmptyOnly: true', '/v0/accounts?includeEmptyOnly=true&limit=2'],
  [', includeEmptyOnly: false', '/v0/accounts?includeEmptyOnly=false&limit=2'],
  [', query: "food"', '/v0/accounts/search?query=food&limit=2'],
  [
    ', query: "a b&c", includeEmptyOnly: true',
    '/v0/accounts/search?query=a%20b%26c&includeEmptyOnly=true&limit=2',
  ],
])('accounts with (first: 2%s) requests %s', async (args, path) => {
  const gateway = await openGateway();

  const { errors } = await gateway.ask(`{ accounts(first: 2${args}) { nodes { name } } }`);

  expect(errors).toEqual([]);
  expect(gateway.restCalls).toEqual([`GET ${path}`]);
});

describe('account, with only the routes of the API spec', () => {
  const LAST = 'account_copperreach_robotics';

  it('is found in the list, which is read once for several ids', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);

    const { data, errors } =
      await gateway.ask(`{ a: account(accountId: "${ACCOUNT}") { name linkedPersonsCount }
         b: account(accountId: "${LAST}") { name }
         c: account(accountId: "nobody") { name }
         node(id: "${formatNodeId('Account', [LAST])}") { ... on Account { domain } } }`);

    expect(errors).toEqual([]);
    expect(data).toEqual({
      a: { name: 'Harborlight Logistics', linkedPersonsCount: 12 },
      b: { name: 'Copperreach Robotics' },
      c: null,
      node: { domain: 'copperreach-robotics.example' },
    });
    expect(gateway.restCalls).toEqual(['GET /v0/accounts?limit=100']);
  });

  it('is found in the list in one round trip with the call for its logs', async () => {
    const gateway = await openGateway({
      ...DOCUMENT_ROUTES,
      sample: { ...DOCUMENT_ROUTES.sample, latencyMs: 20 },
    });

    const { data, errors } = await gateway.ask(
      `{ account(accountId: "${ACCOUNT}") { name logs(first: 1) { nodes { type } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['account'].name).toBe('Harborlight Logistics');
    expect(gateway.restCalls.toSorted()).toEqual([
      `GET /v0/accounts/${ACCOUNT}/logs?limit=1`,
      'GET /v0/accounts?limit=100',
    ]);
    expect(gateway.journal.rounds).toBe(1);
  });
});
