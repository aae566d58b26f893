/** Accounts: both lists with their flags, the lookup, and what each costs. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { openStack } from '../support/open-stack.ts';

const ACCOUNT = IDS.account;

describe('account', () => {
  it('counts the persons that its read route answers instead of their number', async () => {
    const stack = await openStack();
    const { data: listed } = await stack.query(
      '{ accounts(first: 1) { nodes { id accountId domain name createdAt linkedPersonsCount } } }',
    );

    const { data, errors } = await stack.query(
      `{ account(accountId: "${ACCOUNT}") { id accountId domain name createdAt linkedPersonsCount } }`,
    );

    expect(errors).toBeUndefined();
    expect(data['account']).toEqual(listed['accounts'].nodes[0]);
    expect(data['account'].linkedPersonsCount).toBe(12);
    expect(stack.restCalls).toEqual([`GET /v0/accounts/${ACCOUNT}`]);
  });

  it('is null when there is none, and refused when the id cannot be one', async () => {
    const stack = await openStack();

    const missing = await stack.query('{ account(accountId: "nobody") { name } }');
    const refused = await stack.query('{ account(accountId: "..") { name } }');

    expect(missing).toMatchObject({ data: { account: null }, status: 200 });
    expect(missing.errors).toBeUndefined();
    expect(refused.errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(stack.restCalls).toEqual([]);
  });

  it('is read once for the account, its persons and their account', async () => {
    const stack = await openStack({ latencyMs: 20 });

    const { data, errors } = await stack.query(`{ account(accountId: "${ACCOUNT}") { name
      persons { nodes { name account { name } } } logs { nodes { type } } activity { nodes { type } } } }`);

    const { name, persons } = data['account'];
    expect(errors).toBeUndefined();
    expect(new Set(persons.nodes.map((person: any) => person.account.name))).toEqual(
      new Set([name]),
    );
    expect(stack.restCalls.toSorted()).toEqual([
      `GET /v0/accounts/${ACCOUNT}`,
      `GET /v0/accounts/${ACCOUNT}/activity?limit=20`,
      `GET /v0/accounts/${ACCOUNT}/logs?limit=20`,
    ]);
    expect(stack.journal.rounds).toBe(1);
  });
});

describe('accounts', () => {
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
  ])('with (first: 2%s) asks for %s', async (args, path) => {
    const stack = await openStack();

    const { errors } = await stack.query(`{ accounts(first: 2${args}) { nodes { name } } }`);

    expect(errors).toBeUndefined();
    expect(stack.restCalls).toEqual([`GET ${path}`]);
  });

  it('finds what is searched for, page by page, with one call a page', async () => {
    const stack = await openStack();
    const page = (after: string | null) =>
      stack.query(
        'query ($after: String) { accounts(query: "foods", first: 5, after: $after) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }',
        { after },
      );
    const names: string[] = [];

    for (let after: string | null = null, more = true; more;) {
      const { data }: any = await page(after);
      names.push(...data.accounts.nodes.map((account: any) => account.name));
      after = data.accounts.pageInfo.endCursor;
      more = data.accounts.pageInfo.hasNextPage;
      expect(stack.restCalls).toHaveLength(1);
    }

    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(12);
  });

  it('does not take a cursor of all accounts for a search', async () => {
    const stack = await openStack();
    const { data } = await stack.query('{ accounts(first: 1) { pageInfo { endCursor } } }');

    const { errors } = await stack.query(
      'query ($after: String) { accounts(first: 1, query: "food", after: $after) { nodes { name } } }',
      { after: data['accounts'].pageInfo.endCursor },
    );

    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(stack.restCalls).toEqual([]);
  });

  it('reads the persons of 20 accounts in 21 calls and 2 rounds', async () => {
    const stack = await openStack({ latencyMs: 20 });

    const { errors } = await stack.query(
      '{ accounts(first: 20) { nodes { persons { nodes { name account { name } } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(stack.restCalls).toHaveLength(21);
    expect(stack.journal.rounds).toBe(2);
  });
});

describe('account, with the document’s routes alone', () => {
  const LAST = 'account_copperreach_robotics';

  it('is found by walking the list, which is read once however many are looked for', async () => {
    const stack = await openStack({ routeSet: 'document', routes: 'document' });

    const { data, errors } = await stack.query(
      `{ a: account(accountId: "${ACCOUNT}") { name linkedPersonsCount }
         b: account(accountId: "${LAST}") { name }
         c: account(accountId: "nobody") { name }
         node(id: "${formatNodeId('Account', [LAST])}") { ... on Account { domain } } }`,
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      a: { name: 'Harborlight Logistics', linkedPersonsCount: 12 },
      b: { name: 'Copperreach Robotics' },
      c: null,
      node: { domain: 'copperreach-robotics.example' },
    });
    expect(stack.restCalls).toEqual(['GET /v0/accounts?limit=100']);
  });

  it('stops walking where the account is found', async () => {
    const stack = await openStack({ routeSet: 'document', routes: 'document' });

    const { data, errors } = await stack.query(
      `{ account(accountId: "${ACCOUNT}") { name logs(first: 1) { nodes { type } } } }`,
    );

    expect(errors).toBeUndefined();
    expect(data['account'].name).toBe('Harborlight Logistics');
    expect(stack.restCalls.toSorted()).toEqual([
      `GET /v0/accounts/${ACCOUNT}/logs?limit=1`,
      'GET /v0/accounts?limit=100',
    ]);
  });
});
