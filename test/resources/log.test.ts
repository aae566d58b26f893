/** Logs and activity: flags, the interface they share, and the edges from them to their owners. */
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { DOCUMENT_ROUTES, openGateway } from '../support/open-gateway.ts';

const { account: ACCOUNT, person: PERSON } = IDS;

describe('the flags of logs and activity', () => {
  it.each([
    ['account', 'logs(first: 1)', 'logs?limit=1'],
    ['account', 'logs(first: 1, includeDeleted: null)', 'logs?limit=1'],
    ['account', 'logs(first: 1, includeDeleted: true)', 'logs?includeDeleted=true&limit=1'],
    [
      'account',
      'activity(first: 1, includeDeleted: false)',
      'activity?includeDeleted=false&limit=1',
    ],
    [
      'account',
      'activity(first: 1, includePersonActivity: true, includeDeleted: true)',
      'activity?includeDeleted=true&includePersonActivity=true&limit=1',
    ],
    ['person', 'logs(first: 1)', 'logs?limit=1'],
    ['person', 'logs(first: 1, includeDeleted: false)', 'logs?includeDeleted=false&limit=1'],
  ])('are sent only when they are given: %s.%s', async (parent, field, path) => {
    const gateway = await openGateway();
    const id = parent === 'account' ? ACCOUNT : PERSON;

    const { errors } = await gateway.ask(
      `{ ${parent}(${parent}Id: "${id}") { ${field} { nodes { type } } } }`,
    );

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toEqual([`GET /v0/${parent}s/${id}/${path}`]);
  });

  it('include deleted logs only with includeDeleted: true', async () => {
    const gateway = await openGateway();

    const { data } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") {
      present: logs(first: 100) { totalCount nodes { deletedAt } }
      all: logs(first: 100, includeDeleted: true) { totalCount nodes { deletedAt } } } }`);

    const { present, all } = data['account'];
    expect(new Set(present.nodes.map((log: any) => log.deletedAt))).toEqual(new Set([null]));
    expect(all.nodes.some((log: any) => log.deletedAt !== null)).toBe(true);
    expect(all.totalCount).toBeGreaterThan(present.totalCount);
  });
});

describe('a log', () => {
  it('resolves its owner without a call when the owner is already loaded', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{
      account(accountId: "${ACCOUNT}") { name logs(first: 2) { nodes { account { name } } } }
      person(personId: "${PERSON}") { name logs(first: 2) { nodes { person { name } } } } }`);

    const { account, person } = data;
    expect(errors).toEqual([]);
    expect(account.logs.nodes[0].account.name).toBe(account.name);
    expect(person.logs.nodes[0].person.name).toBe(person.name);
    expect(gateway.restCalls).toHaveLength(4);
  });

  it('is read by its global id in one round trip with its owner', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 20 } });
    const ids = [
      formatNodeId('AccountLog', [ACCOUNT, 'alog_harborlight_logistics_1']),
      formatNodeId('PersonLog', [PERSON, 'plog_ada_lindqvistova_1']),
    ];

    const { data, errors } = await gateway.ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename
        ... on LogEntry { source type payload createdAt }
        ... on AccountLog { account { name } } ... on PersonLog { person { name } } } }`,
      { variables: { ids } },
    );

    expect(errors).toEqual([]);
    expect(data['nodes']).toMatchObject([
      { id: ids[0], __typename: 'AccountLog', account: { name: 'Harborlight Logistics' } },
      { id: ids[1], __typename: 'PersonLog' },
    ]);
    expect(data['nodes'][1].type).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(gateway.restCalls).toHaveLength(4);
    expect(gateway.journal.rounds).toBe(1);
  });

  it('is null for an unknown log of its owner', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(
      'query ($id: ID!) { node(id: $id) { ... on PersonLog { type } } }',
      { variables: { id: formatNodeId('PersonLog', [PERSON, 'nobody']) } },
    );

    expect(data).toEqual({ node: null });
    expect(errors).toEqual([]);
  });

  it('can be selected with one fragment on LogEntry in logs and in activity', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`
      fragment What on LogEntry { __typename source type payload idempotencyKey createdAt updatedAt deletedAt }
      { account(accountId: "${ACCOUNT}") { logs(first: 1) { nodes { ...What } } activity(first: 1) { nodes { ...What } } }
        person(personId: "${PERSON}") { logs(first: 1) { nodes { ...What } } } }`);

    const { account, person } = data;
    expect(errors).toEqual([]);
    expect(account.logs.nodes[0].__typename).toBe('AccountLog');
    expect(account.activity.nodes[0].__typename).toBe('ActivityItem');
    expect(person.logs.nodes[0].__typename).toBe('PersonLog');
    expect(Date.parse(person.logs.nodes[0].createdAt)).not.toBeNaN();
    expect(account.logs.nodes[0].payload).toBeTypeOf('object');
  });
});

describe('ActivityItem', () => {
  it('resolves its account without a call, and persons with one call each', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") { name
      activity(first: 30, includePersonActivity: true) { nodes { personId personName
        account { name } person { name } } } } }`);

    const { name, activity } = data['account'];
    const persons = new Set(activity.nodes.map((item: any) => item.personId).filter(Boolean));
    for (const item of activity.nodes) {
      expect(item.account.name).toBe(name);
      expect(item.person?.name ?? null).toBe(item.personName);
    }
    expect(errors).toEqual([]);
    expect(persons.size).toBeGreaterThan(1);
    expect(gateway.restCalls).toHaveLength(2 + persons.size);
  });

  it('resolves the log that it refers to, and null for the other kind of log', async () => {
    const gateway = await openGateway();

    const { data, errors } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") {
      activity(first: 10, includePersonActivity: true) { nodes { type accountLogId personLogId
        accountLog { type account { accountId } } personLog { type person { personId } } } } } }`);

    expect(errors).toEqual([]);
    const { nodes } = data['account'].activity;
    expect(new Set(nodes.map((item: any) => item.personLogId === null)).size).toBe(2);
    for (const item of nodes) {
      const [shown, other] = item.personLogId
        ? [item.personLog, item.accountLog]
        : [item.accountLog, item.personLog];
      expect(shown.type).toBe(item.type);
      expect(other).toBeNull();
    }
    expect(gateway.restCalls).toHaveLength(1 + 10);
  });

  it('resolves the ids of its references without a call', async () => {
    const gateway = await openGateway();

    const { errors } = await gateway.ask(`{ account(accountId: "${ACCOUNT}") {
      activity(first: 10, includePersonActivity: true) { nodes { account { id } person { id personId }
        accountLog { id } personLog { id personLogId } } } } }`);

    expect(errors).toEqual([]);
    expect(gateway.restCalls).toHaveLength(1);
  });
});

describe('logs, with only the routes of the API spec', () => {
  it('return UPSTREAM_UNSUPPORTED for a single log of an account, without a call', async () => {
    const gateway = await openGateway(DOCUMENT_ROUTES);

    const { data, errors } = await gateway.ask(
      'query ($id: ID!) { node(id: $id) { ... on AccountLog { type } } }',
      { variables: { id: formatNodeId('AccountLog', [ACCOUNT, 'alog_harborlight_logistics_1']) } },
    );

    expect(data).toEqual({ node: null });
    expect(errors?.[0]?.extensions['code']).toBe('UPSTREAM_UNSUPPORTED');
    expect(errors?.[0]?.message).toContain('/v0/accounts/{account_id}/logs/{account_log_id}');
    expect(gateway.restCalls).toEqual([]);
  });
});
