/** Persons: the edges from accounts and audiences, and the way from a person to its account. */
import { describe, expect, it } from 'vitest';
import { IDS } from '../support/ids.ts';
import { DOCUMENT_ROUTES, openGateway, type InProcessGateway } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';

const ACCOUNT = IDS.account;

/** A person of the sample data without a domain, and one whose domain no account has. */
async function findPersons(gateway: InProcessGateway) {
  const persons: { personId: string; domain: string | null }[] = [];
  for (let after: string | null = null, more = true; more;) {
    const { data }: any = await gateway.ask(
      'query ($after: String) { persons(first: 100, after: $after) { nodes { personId domain } pageInfo { hasNextPage endCursor } } }',
      { variables: { after } },
    );
    persons.push(...data.persons.nodes);
    after = data.persons.pageInfo.endCursor;
    more = data.persons.pageInfo.hasNextPage;
  }
  const isUnknown = (domain: string | null) => /^(freelance|mailbox|alumni)\./.test(domain ?? '');
  return {
    withoutDomain: persons.find(({ domain }) => domain === null)!,
    withoutAccount: persons.find(({ domain }) => isUnknown(domain))!,
  };
}

it('persons are listed, and read by id, with one call each', async () => {
  const gateway = await openGateway();

  const list = await gateway.ask(
    '{ persons(first: 2) { totalCount nodes { id personId name email slug createdAt } } }',
  );
  const listCalls = [...gateway.restCalls];
  const [first] = list.data['persons'].nodes;
  const one = await gateway.ask(
    `{ person(personId: "${first.personId}") { id personId name email slug createdAt } }`,
  );

  expect(list.errors).toEqual([]);
  expect(one).toMatchObject({ data: { person: first }, status: 200 });
  expect(one.errors).toEqual([]);
  expect(listCalls).toEqual(['GET /v0/persons?limit=2']);
  expect(gateway.restCalls).toEqual([`GET /v0/persons/${first.personId}`]);
});

describe('Account.persons', () => {
  it('pages forward and backward without a further call after reading the account', async () => {
    const gateway = await openGateway();
    const page = async (args: string) => {
      const { data } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") {
        persons(${args}) { totalCount nodes { personId } edges { cursor } pageInfo { hasNextPage hasPreviousPage } } } }`);
      return data['account'].persons;
    };
    const whole = await page('first: 100');

    const forward = await page(`first: 3, after: "${whole.edges[4].cursor}"`);
    const backward = await page(`last: 3, before: "${whole.edges[4].cursor}"`);

    expect(whole.nodes).toHaveLength(whole.totalCount);
    expect(forward.nodes).toEqual(whole.nodes.slice(5, 8));
    expect(backward.nodes).toEqual(whole.nodes.slice(1, 4));
    expect(forward.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
    expect(gateway.restCalls).toEqual([`GET /v0/accounts/${ACCOUNT}`]);
  });

  it('leaves an unknown account null, without an error', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      '{ account(accountId: "nobody") { persons { nodes { name } } } }',
    );

    expect(data).toEqual({ account: null });
    expect(errors).toEqual([]);
  });

  it('resolves the persons of their logs without another call', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") {
      persons(first: 1) { nodes { name logs(first: 1) { nodes { person { name } } } } } } }`);

    const [person] = data['account'].persons.nodes;
    expect(errors).toEqual([]);
    expect(person.logs.nodes[0].person.name).toBe(person.name);
    expect(gateway.restCalls).toHaveLength(2);
  });
});

describe('Person.account', () => {
  it('is found by a search for the domain of the person', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      `{ person(personId: "${IDS.person}") { domain account { accountId domain } } }`,
    );

    const { domain, account } = data['person'];
    expect(errors).toEqual([]);
    expect(account.domain).toBe(domain);
    expect(gateway.restCalls).toEqual([
      `GET /v0/persons/${IDS.person}`,
      `GET /v0/accounts/search?query=${domain}&limit=100`,
    ]);
  });

  it('is searched for once for all persons of one domain', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      '{ persons(first: 12) { nodes { domain account { name } } } }',
    );

    const domains = new Set(data['persons'].nodes.map((person: any) => person.domain));
    expect(errors).toEqual([]);
    expect(domains.size).toBe(1);
    expect(gateway.restCalls).toHaveLength(2);
  });

  it('is null without a search for a person without a domain', async () => {
    const gateway = await openGateway();
    const { withoutDomain } = await findPersons(gateway);

    const { data, errors } = await gateway.ask(
      `{ person(personId: "${withoutDomain.personId}") { name account { name } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['person'].account).toBeNull();
    expect(gateway.restCalls).toEqual([`GET /v0/persons/${withoutDomain.personId}`]);
  });

  it('is null for a person whose domain no account has', async () => {
    const gateway = await openGateway();
    const { withoutAccount } = await findPersons(gateway);

    const { data, errors } = await gateway.ask(
      `{ person(personId: "${withoutAccount.personId}") { account { name } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['person']).toEqual({ account: null });
    expect(gateway.restCalls).toEqual([
      `GET /v0/persons/${withoutAccount.personId}`,
      `GET /v0/accounts/search?query=${withoutAccount.domain}&limit=100`,
    ]);
  });

  it('needs no call when a list has returned the account before', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      '{ accounts(first: 3) { nodes { name persons(first: 2) { nodes { account { name } } } } } }',
    );

    const linked = data['accounts'].nodes.flatMap(({ persons }: any) => persons.nodes);
    expect(linked.length).toBeGreaterThan(1);
    for (const { name, persons } of data['accounts'].nodes) {
      for (const person of persons.nodes) expect(person.account.name).toBe(name);
    }
    expect(errors).toEqual([]);
    expect(gateway.restCalls).toHaveLength(4);
  });
});

describe('Audience.person', () => {
  it('needs no call for its ids, and one call for each distinct person otherwise', async () => {
    const gateway = await openGateway();
    const query = (selection: string) =>
      gateway.ask(`{ page(pageId: "${IDS.page}") {
        audiences(first: 10) { nodes { personId person { ${selection} } } } } }`);

    const ids = await query('id personId');
    const idCalls = [...gateway.restCalls];
    const names = await query('name');

    const { nodes } = names.data['page'].audiences;
    const persons = new Set(nodes.map((node: any) => node.personId).filter(Boolean));
    expect([ids.errors, names.errors]).toEqual([[], []]);
    expect(nodes.some((node: any) => node.person === null)).toBe(true);
    expect(idCalls).toHaveLength(1);
    expect(gateway.restCalls).toHaveLength(1 + persons.size);
  });
});

describe('Account.persons, with only the routes of the API spec', () => {
  it('contains the distinct persons of the account’s activity', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);
    const full = await openGateway({ sample: { routes: 'document' } });
    const { data: feed } = await full.ask(`{ accounts(first: 1) { nodes {
      activity(first: 100, includePersonActivity: true) { nodes { personId } pageInfo { hasNextPage } } } } }`);

    const { data, errors } = await gateway.ask(
      `{ account(accountId: "${ACCOUNT}") { accountId persons(first: 100) { totalCount nodes { personId id } } } }`,
    );

    const { activity } = feed['accounts'].nodes[0];
    const persons = new Set(activity.nodes.map((item: any) => item.personId).filter(Boolean));
    expect(activity.pageInfo.hasNextPage).toBe(false);
    expect(errors).toEqual([]);
    expect(new Set(data['account'].persons.nodes.map((node: any) => node.personId))).toEqual(
      persons,
    );
    expect(data['account'].persons.totalCount).toBe(persons.size);
    expect(gateway.restCalls.toSorted()).toEqual([
      `GET /v0/accounts/${ACCOUNT}/activity?includePersonActivity=true&limit=100`,
      'GET /v0/accounts?limit=100',
    ]);
  });

  it('reads persons one by one when more than their ids are selected', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);

    const { data, errors } = await gateway.ask(
      `{ account(accountId: "${ACCOUNT}") { name persons(first: 3) { nodes { name account { name } } } } }`,
    );

    const { name, persons } = data['account'];
    expect(errors).toEqual([]);
    expect(persons.nodes.map((person: any) => person.account.name)).toEqual([name, name, name]);
    expect(gateway.restCalls).toHaveLength(2 + 3);
  });

  it('is planned as an unlimited walk of activity, and a call per person when more than ids are selected', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);
    const planned = (selection: string) =>
      planOf(
        `{ account(accountId: "${ACCOUNT}") { persons(first: 3) { nodes { ${selection} } } } }`,
        gateway,
      ).routes.map(({ route, most }) => [route, most]);

    const ids = planned('id personId');
    const names = planned('name');

    expect(ids).toContainEqual(['/v0/accounts/{account_id}/activity', Infinity]);
    expect(ids).not.toContainEqual(['/v0/persons/{person_id}', 3]);
    expect(names).toContainEqual(['/v0/persons/{person_id}', 3]);
  });

  it('rejects a cursor of another account', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);
    const { data } = await gateway.ask(
      `{ account(accountId: "${ACCOUNT}") { persons(first: 1) { pageInfo { endCursor } } } }`,
    );

    const { errors } = await gateway.ask(
      `query ($after: String) { account(accountId: "${IDS.accounts[1]}") { persons(after: $after) { totalCount } } }`,
      { variables: { after: data['account'].persons.pageInfo.endCursor } },
    );

    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });
});
