/** Ids that callers write: raw or global, of the right type, and never the name of a route. */
import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { schema } from '../../src/app/schema.ts';
import { routes } from '../../src/v0/routes.ts';
import { IDS } from '../support/ids.ts';
import { ok } from '../support/faults.ts';
import { openGateway, type InProcessOptions } from '../support/open-gateway.ts';
import { planOf } from '../support/plan-of.ts';
import { sampleOf, world } from '../support/world.ts';

const { page: pageId, audience: audienceId, version: versionId } = IDS;
const { person: personId, account: accountId, topic: topicId } = IDS;

/** Raw ids by the name of the argument, and the global id that may stand for each. */
const RAW = { pageId, audienceId, versionId, personId, accountId, topicId };
const GLOBAL = {
  pageId: formatNodeId('Page', [pageId]),
  audienceId: formatNodeId('Audience', [pageId, audienceId]),
  versionId: formatNodeId('AudienceVersion', [pageId, audienceId, versionId]),
  personId: formatNodeId('Person', [personId]),
  accountId: formatNodeId('Account', [accountId]),
  topicId: formatNodeId('Topic', [topicId]),
};

type IdName = keyof typeof RAW;

/** Every lookup, with the types of its ids. */
const LOOKUPS: readonly [field: string, names: readonly IdName[], type: string][] = [
  ['page', ['pageId'], 'Page'],
  ['audience', ['pageId', 'audienceId'], 'Audience'],
  ['audienceVersion', ['pageId', 'audienceId', 'versionId'], 'AudienceVersion'],
  ['person', ['personId'], 'Person'],
  ['account', ['accountId'], 'Account'],
  ['topic', ['topicId'], 'Topic'],
];

const lookup = (field: string, ids: Readonly<Record<string, string>>, selection = 'id createdAt') =>
  `{ found: ${field}(${Object.entries(ids)
    .map(([name, id]) => `${name}: ${JSON.stringify(id)}`)
    .join(', ')}) { ${selection} } }`;

const pick = (from: Readonly<Record<IdName, string>>, names: readonly IdName[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

describe('a lookup', () => {
  it.each(LOOKUPS)(
    '%s accepts raw and global ids in any combination, with the same calls',
    async (field, names) => {
      const gateway = await openGateway();
      const { data: raw } = await gateway.ask(lookup(field, pick(RAW, names)));
      const calls = [...gateway.restCalls];
      expect(raw['found'].id).toBe(GLOBAL[names.at(-1)!]);

      for (const name of names) {
        const ids = { ...pick(RAW, names), [name]: GLOBAL[name] };
        const { data, errors } = await gateway.ask(lookup(field, ids));
        expect([data, errors]).toEqual([raw, []]);
        expect(gateway.restCalls).toEqual(calls);
      }
      const { data } = await gateway.ask(lookup(field, pick(GLOBAL, names)));
      expect(data).toEqual(raw);
    },
  );

  it.each(LOOKUPS)(
    '%s rejects a global id of another type with a message that names both types, before any call',
    async (field, names) => {
      const gateway = await openGateway();
      const typeOf = {
        pageId: 'a Page',
        audienceId: 'an Audience',
        versionId: 'an AudienceVersion',
      };

      for (const name of names) {
        const other = name === 'topicId' ? GLOBAL.accountId : GLOBAL.topicId;
        const ids = { ...pick(RAW, names), [name]: other };
        const { data, errors, codes } = await gateway.ask(lookup(field, ids));

        expect(data).toEqual({ found: null });
        expect(codes).toEqual(['BAD_USER_INPUT']);
        const types = name === 'topicId' ? 'an Account\\b' : 'a Topic\\b';
        const accepted = name in typeOf ? typeOf[name as 'pageId'] : '';
        expect(errors[0].extensions.argument).toBe(name);
        expect(errors[0].message).toMatch(new RegExp(`${types}.*${accepted}`));
        expect(gateway.restCalls).toEqual([]);
      }
    },
  );

  it.each([
    ['audience', 'audienceId', { pageId: 'page_pricing', audienceId: GLOBAL.audienceId }],
    [
      'audience',
      'audienceId',
      { pageId: formatNodeId('Page', ['other']), audienceId: GLOBAL.audienceId },
    ],
    ['audienceVersion', 'versionId', { pageId, audienceId: 'other', versionId: GLOBAL.versionId }],
    [
      'audienceVersion',
      'audienceId',
      { pageId, audienceId: formatNodeId('Audience', ['other', audienceId]), versionId },
    ],
  ])('%s rejects ids that do not belong together, by %s: %o', async (field, argument, ids) => {
    const gateway = await openGateway();

    const { data, errors, codes } = await gateway.ask(lookup(field, ids));

    expect(data).toEqual({ found: null });
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0].extensions.argument).toBe(argument);
    expect(gateway.restCalls).toEqual([]);
  });

  it('reads an object once, and plans one read, when both its raw id and its global id are given', async () => {
    const gateway = await openGateway();
    const query = `{ raw: page(pageId: "${pageId}") { name audiences(first: 1) { totalCount } }
      global: page(pageId: "${GLOBAL.pageId}") { title audiences(first: 1) { totalCount } } }`;

    const plan = planOf(query, gateway);
    const { errors } = await gateway.ask(query);

    expect(errors).toEqual([]);
    expect(plan.calls).toEqual({ least: 2, most: 2 });
    expect(gateway.restCalls).toHaveLength(2);
  });

  it('reads an object by its global id, and the list of the object, in one round trip', async () => {
    const gateway = await openGateway({ sample: { latencyMs: 10 } });

    await gateway.ask(lookup('page', { pageId: GLOBAL.pageId }, 'name audiences { totalCount }'));

    expect(gateway.restCalls).toHaveLength(2);
    expect(gateway.journal.rounds).toBe(1);
  });
});

describe('a lookup by the global id', () => {
  it.each(LOOKUPS)(
    '%s finds the same object as by raw ids, with the same calls',
    async (field, names) => {
      const gateway = await openGateway();
      const { data: raw } = await gateway.ask(lookup(field, pick(RAW, names)));
      const calls = [...gateway.restCalls];
      const query = lookup(field, { id: GLOBAL[names.at(-1)!] });

      const plan = planOf(query, gateway);
      const { data, errors } = await gateway.ask(query);

      expect([data, errors]).toEqual([raw, []]);
      expect(gateway.restCalls).toEqual(calls);
      expect(plan.calls).toEqual({ least: 1, most: 1 });
    },
  );

  it.each([
    ['person', 'personId', personId, 'personLog', 'personLogId'],
    ['account', 'accountId', accountId, 'accountLog', 'accountLogId'],
  ])('finds the same log entry of a %s as by raw ids', async (owner, ownerId, id, field, name) => {
    const gateway = await openGateway();
    const { data } = await gateway.ask(
      `{ owner: ${owner}(${ownerId}: "${id}") { logs(first: 1) { nodes { id ${name} } } } }`,
    );
    const [log] = data['owner'].logs.nodes;

    const byRaw = await gateway.ask(
      lookup(field, { [ownerId]: id, [name]: log[name] }, `id ${owner} { id }`),
    );
    const calls = [...gateway.restCalls];
    const byGlobal = await gateway.ask(lookup(field, { id: log.id }, `id ${owner} { id }`));

    expect(byRaw.data['found'].id).toBe(log.id);
    expect([byGlobal.data, byGlobal.errors]).toEqual([byRaw.data, []]);
    expect(calls).toEqual([`GET /v0/${owner}s/${id}/logs/${log[name]}`]);
  });

  it.each<[string, Record<string, string>, { argument?: string; message?: RegExp }]>([
    ['audience', { id: GLOBAL.audienceId, pageId }, { argument: 'id' }],
    ['page', { id: GLOBAL.pageId, pageId: GLOBAL.pageId }, { argument: 'id' }],
    ['audience', { pageId }, { argument: 'audienceId' }],
    ['audienceVersion', { versionId: GLOBAL.versionId }, { argument: 'pageId' }],
    ['topic', { id: GLOBAL.pageId }, { message: /\ba Page\b.*\ba Topic\b/ }],
    ['topic', { id: topicId }, { message: new RegExp(`"${topicId}"`) }],
  ])('%s rejects %o before any call', async (field, ids, { argument, message }) => {
    const gateway = await openGateway();

    const { data, errors, codes } = await gateway.ask(lookup(field, ids));

    expect(data).toEqual({ found: null });
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0].extensions.argument).toBe(argument);
    if (message) expect(errors[0].message).toMatch(message);
    expect(gateway.restCalls).toEqual([]);
  });

  it('rejects a null id', async () => {
    const gateway = await openGateway();

    const { data, codes } = await gateway.ask(
      '{ page(id: null) { id } person(personId: null) { id } }',
    );

    expect(data).toEqual({ page: null, person: null });
    expect(codes).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
    expect(gateway.restCalls).toEqual([]);
  });

  it('is offered by each lookup of an object as the argument "id"', () => {
    const fields = Object.values(schema.getQueryType()!.getFields());
    const withId = fields.filter(({ args }) => args.some(({ name }) => name === 'id'));
    const ofObjects = fields.filter(
      ({ type }) =>
        isObjectType(type) &&
        type.getInterfaces().some((implemented) => implemented.name === 'Node'),
    );

    expect(ofObjects.length).toBeGreaterThanOrEqual(LOOKUPS.length);
    expect(withId.map(({ name }) => name).sort()).toEqual(
      [...ofObjects.map(({ name }) => name), 'node'].sort(),
    );
  });
});

describe('a list of ids', () => {
  it('has null and BAD_USER_INPUT for each invalid id, and all other data', async () => {
    const gateway = await openGateway();
    const { person, page } = { person: GLOBAL.personId, page: GLOBAL.pageId };
    const search = formatNodeId('Page', ['search']);

    const { data, errors, codes } = await gateway.ask(
      `query ($bad: ID!) { nodes(ids: ["${person}", $bad, "${page}", "${search}", ""]) { id }
        topics(first: 1) { totalCount } }`,
      { variables: { bad: 'bad' } },
    );

    expect(data['nodes']).toEqual([{ id: person }, null, { id: page }, null, null]);
    expect(data['topics'].totalCount).toBeGreaterThan(0);
    expect(errors.map(({ path }) => path)).toEqual([
      ['nodes', 1],
      ['nodes', 3],
      ['nodes', 4],
    ]);
    expect(codes).toEqual(Array(3).fill('BAD_USER_INPUT'));
    expect(errors[0].message).toContain('"bad"');
  });

  it('makes and plans no call for an invalid id', async () => {
    const gateway = await openGateway();
    const query = `{ nodes(ids: ["bad", "${GLOBAL.personId}"]) { ... on Person { name } } }`;

    await gateway.ask(query);

    expect(gateway.restCalls).toEqual([`GET /v0/persons/${personId}`]);
    expect(planOf(query, gateway).calls).toMatchObject({ least: 1, most: 1 });
  });
});

describe('an id that is a number', () => {
  const WRITE = `mutation ($input: CreateAudienceInput!) {
    createAudience(input: $input) { audience { id } userErrors { code } } }`;

  it.each<[query: string, variables: Readonly<Record<string, unknown>>]>([
    ['query ($id: ID!) { page(pageId: $id) { name } }', { id: 9_007_199_254_740_992 }],
    ['query ($id: ID!) { page(pageId: $id) { name } }', { id: 1e21 }],
    ['query ($id: ID) { account(id: $id) { name } }', { id: -9_007_199_254_740_992 }],
    ['query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 1e300] }],
    ['query ($id: ID) { pageLinks(tenantDomainId: $id) { totalCount } }', { id: 1e17 }],
    [WRITE, { input: { pageId: 1e17 } }],
    [WRITE, { input: { pageId: 'p', actionFormIdOverride: 1e17 } }],
    ['{ page(pageId: 9007199254740993) { name } }', {}],
    ['{ nodes(ids: [1, 9007199254740993]) { id } }', {}],
    ['query ($id: ID = 9007199254740993) { page(pageId: $id) { name } }', {}],
    ['mutation { createAudience(input: { pageId: 9007199254740993 }) { audience { id } } }', {}],
  ])(
    'is rejected when it is not a safe integer, with a message that suggests a string: %s %j',
    async (query, variables) => {
      const gateway = await openGateway();

      const { status, codes, errors } = await gateway.ask(query, { variables });

      expect([status, codes]).toEqual([400, ['BAD_USER_INPUT']]);
      expect(errors[0].message).toMatch(/\bstrings?\b/);
      expect(gateway.restCalls).toEqual([]);
    },
  );

  it('is rejected by a subscription when it is not a safe integer', async () => {
    const gateway = await openGateway();
    const query = 'subscription ($id: ID!) { pageProgress(id: $id) { __typename } }';

    const { text } = await gateway.ask(query, {
      variables: { id: 1e17 },
      headers: { accept: 'text/event-stream' },
    });

    expect(text).toContain('BAD_USER_INPUT');
    expect(text).toContain('100000000000000000');
    expect(gateway.restCalls).toEqual([]);
  });

  it.each([Number.MAX_SAFE_INTEGER, 7, 0, -7])(
    'is read as its decimal digits, as a variable and as a literal: %d',
    async (id) => {
      const gateway = await openGateway();

      await gateway.ask('query ($id: ID!) { page(pageId: $id) { name } }', { variables: { id } });
      const byVariable = [...gateway.restCalls];
      await gateway.ask(`{ page(pageId: ${id}) { name } }`);

      expect(byVariable).toEqual([`GET /v0/pages/${id}`]);
      expect(gateway.restCalls).toEqual(byVariable);
    },
  );
});

describe('a raw id instead of a global id', () => {
  it.each([
    ...LOOKUPS.map(([field, names]) => [field, names] as const),
    ['personLog', ['personId', 'personLogId']] as const,
    ['accountLog', ['accountId', 'accountLogId']] as const,
  ])('is rejected by %s with the names of the arguments that accept it', async (field, names) => {
    const gateway = await openGateway();

    const { errors, codes } = await gateway.ask(lookup(field, { id: 'page_northwind' }, 'id'));

    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0].message).toContain(names.map((name) => `\`${name}\``).join(', '));
    expect(gateway.restCalls).toEqual([]);
  });
});

describe('pageLinks', () => {
  it('returns the same links for the raw and the global id of a page, with one call', async () => {
    const gateway = await openGateway();
    const links = async (id: string) => {
      const { data } = await gateway.ask(
        `{ pageLinks(pageId: "${id}") { nodes { pageLinkId page { pageId } } pageInfo { endCursor } } }`,
      );
      return [data, gateway.restCalls];
    };

    const byGlobal = await links(GLOBAL.pageId);

    expect(byGlobal).toEqual(await links(pageId));
    expect(byGlobal[1]).toEqual([`GET /v0/page_links?pageId=${pageId}&limit=20`]);
  });

  it.each([
    [`pageLinks(pageId: "${GLOBAL.audienceId}")`, /^`pageId`.*\ban Audience\b/],
    [`pageLinks(pageId: "")`, /^`pageId` .*empty/],
    [`pageLinks(tenantDomainId: "${GLOBAL.pageId}")`, /\ba Page\b.*\braw\b/],
  ])('rejects %s before any call', async (field, message) => {
    const gateway = await openGateway();

    const { data, errors, codes } = await gateway.ask(`{ ${field} { totalCount } }`);

    expect(data).toEqual({ pageLinks: null });
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors?.[0]?.message).toMatch(message);
    expect(gateway.restCalls).toEqual([]);
  });

  it('rejects a global id as tenantDomainId in the links of a page and of an audience too', async () => {
    const gateway = await openGateway();
    const links = `links(tenantDomainId: "${GLOBAL.pageId}") { totalCount }`;

    const { data, codes } = await gateway.ask(`{ page(pageId: "${pageId}") { name ${links}
      audiences(first: 1) { nodes { effectiveName ${links} } } } }`);

    expect(data['page'].links).toBeNull();
    expect(data['page'].audiences.nodes).toEqual([
      { effectiveName: expect.any(String) as string, links: null },
    ]);
    expect(codes).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
  });
});

describe('a write', () => {
  const CREATE_AUDIENCE = `mutation ($input: CreateAudienceInput!) {
    createAudience(input: $input) { audience { pageId } userErrors { code } } }`;
  const CREATE_ENTRY = `mutation ($input: CreateTopicEntryInput!) {
    createTopicEntry(input: $input) { topicEntry { topicId } userErrors { code } } }`;
  const CREATE_PAGE = `mutation ($input: CreatePageInput!) {
    createPage(input: $input) { page { pageId } userErrors { code } } }`;
  const content = { type: 'text', content: 'Good to know.' };
  const page = {
    brandId: 'b',
    name: 'n',
    pageContext: 'c',
    actions: [],
    actionCardWidgets: [],
    scripts: [],
  };

  it('accepts the global id of the object that it adds to', async () => {
    const gateway = await openGateway({ fresh: true });

    const { data } = await gateway.ask(CREATE_AUDIENCE, {
      variables: { input: { pageId: GLOBAL.pageId } },
    });
    const audienceCalls = [...gateway.restCalls];
    const { data: entry } = await gateway.ask(CREATE_ENTRY, {
      variables: {
        input: { topicId: GLOBAL.topicId, content },
      },
    });

    expect(data['createAudience']).toEqual({ audience: { pageId }, userErrors: [] });
    expect(audienceCalls).toEqual([`POST /v0/pages/${pageId}/audiences`]);
    expect(entry['createTopicEntry']).toEqual({ topicEntry: { topicId }, userErrors: [] });
  });

  it.each([
    [CREATE_AUDIENCE, { pageId: GLOBAL.topicId }, /`pageId`.*\ba Topic\b.*\ba Page\b/],
    [
      CREATE_ENTRY,
      { topicId: GLOBAL.accountId, content },
      /`topicId`.*\ban Account\b.*\ba Topic\b/,
    ],
    [CREATE_PAGE, { ...page, brandId: GLOBAL.pageId }, /`brandId`.*\ba Page\b.*\braw\b/],
    [
      CREATE_PAGE,
      { ...page, actions: [{ actionId: GLOBAL.personId }] },
      /`actionId`.*\ba Person\b.*\braw\b/,
    ],
    [
      CREATE_AUDIENCE,
      { pageId, actionFormIdOverride: GLOBAL.pageId },
      /`actionFormIdOverride`.*\ba Page\b.*\braw\b/,
    ],
  ])(
    'rejects a global id of another type, or for a raw id, before any call: %#',
    async (mutation, input, message) => {
      const gateway = await openGateway();

      const { data, errors, codes } = await gateway.ask(mutation, { variables: { input } });

      expect(Object.values(data)).toEqual([null]);
      expect(codes).toEqual(['BAD_USER_INPUT']);
      expect(errors?.[0]?.message).toMatch(message);
      expect(gateway.restCalls).toEqual([]);
      expect(planOf(mutation, gateway, { input }).calls.most).toBe(0);
    },
  );
});

describe('an id that is the name of a route', () => {
  const search = formatNodeId('Page', ['search']);

  it.each(['extended', 'document'] as const)(
    'is rejected before any call, with the %s routes',
    async (routeSet) => {
      const gateway = await openGateway({ sample: { routes: routeSet }, rest: { routeSet } });

      for (const field of [
        'page(pageId: "search") { name }',
        'page(pageId: "search") { pageId audiences { nodes { audienceId } } }',
        `page(pageId: "${search}") { name }`,
        `node(id: "${search}") { id }`,
        `nodes(ids: ["${search}"]) { id }`,
        'account(accountId: "search") { name }',
        'account(accountId: "search") { accountId logs { nodes { type } } }',
        'audience(pageId: "search", audienceId: "a") { effectiveName }',
        `audience(pageId: "search", audienceId: "${GLOBAL.audienceId}") { effectiveName }`,
        'audienceVersion(pageId: "search", audienceId: "a", versionId: "v") { status }',
        'pageLinks(pageId: "search") { totalCount }',
      ]) {
        const { codes } = await gateway.ask(`{ ${field} }`);
        expect(codes, field).toEqual(['BAD_USER_INPUT']);
        expect(gateway.restCalls, field).toEqual([]);
        expect(planOf(`{ ${field} }`, gateway).calls.most, field).toBe(0);
      }
      for (const field of [
        `restorePage(input: { id: "${search}" }) { page { id } }`,
        'createAudience(input: { pageId: "search" }) { audience { id } }',
      ]) {
        const { codes } = await gateway.ask(`mutation { ${field} }`);
        expect(codes, field).toEqual(['BAD_USER_INPUT']);
        expect(gateway.restCalls, field).toEqual([]);
      }
    },
  );

  it.each(['Search', 's%65arch', '%73earch', 'search ', 'search/', 'logs', 'activity'])(
    'is rejected only when it is exactly that name, unlike %s, which is read',
    async (id) => {
      const gateway = await openGateway();

      const { data, errors } = await gateway.ask(
        'query ($id: ID!) { page(pageId: $id) { name } }',
        {
          variables: {
            id,
          },
        },
      );

      expect([data, errors]).toEqual([{ page: null }, []]);
      expect(gateway.restCalls).toEqual([`GET /v0/pages/${encodeURIComponent(id)}`]);
    },
  );
});

describe('an id in a different letter case than the backend returns', () => {
  const UPPER = '6F9619FF-8B86-4D01-B42D-00CF4FC964FF';
  const LOWER = UPPER.toLowerCase();

  /** A backend that reads ids in either case and returns them in lower case, as uuid columns do. */
  async function openUuids(options: InProcessOptions = {}) {
    const site = await openGateway({ ...options, backend: 'faulty' });
    const answers = world();
    site.upstream.on('*', (response, seen, socket) =>
      answers(response, { ...seen, target: seen.target.toLowerCase() }, socket),
    );
    return site;
  }

  it.each(LOOKUPS)('finds the object in %s, with the id of the response', async (field, names) => {
    const site = await openUuids();
    const given = Object.fromEntries(names.map((name) => [name, UPPER]));
    const own = names.at(-1)!;

    const { data, errors } = await site.ask(lookup(field, given, `${own} createdAt`));

    expect(errors).toEqual([]);
    expect(data['found'][own]).toBe(LOWER);
  });

  it('finds a log and a topic entry, which have no dedicated lookup', async () => {
    const site = await openUuids();
    const entry = formatNodeId('TopicEntry', [UPPER, 'TOPICENTRYID-1']);
    const log = formatNodeId('PersonLog', [UPPER, UPPER]);

    const { data, errors } = await site.ask(
      `{ entry: node(id: "${entry}") { ... on TopicEntry { topicEntryId createdAt } }
        log: node(id: "${log}") { ... on PersonLog { personLogId createdAt } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['entry'].topicEntryId).toBe('topicEntryId-1');
    expect(data['log'].personLogId).toBe(LOWER);
  });

  it('finds an account by walking the list of accounts', async () => {
    const site = await openUuids({ rest: { routeSet: 'document' } });
    const accounts = sampleOf(routes.listAccounts);
    accounts['items'][1].accountId = LOWER;
    site.upstream.on('GET /v0/accounts', ok(accounts));

    const { data, errors } = await site.ask(
      `{ account(accountId: "${UPPER}") { accountId name } }`,
    );

    expect(errors).toEqual([]);
    expect(data['account'].accountId).toBe(LOWER);
  });

  it('finds the links of an audience', async () => {
    const site = await openUuids();
    const links = sampleOf(routes.listPageLinks);
    links['items'][1].target.audienceId = LOWER;
    site.upstream.on('GET /v0/page_links', ok(links));

    const { data, errors } = await site.ask(
      `{ audience(pageId: "${UPPER}", audienceId: "${UPPER}") { links { nodes { pageLinkId } } } }`,
    );

    expect(errors).toEqual([]);
    expect(data['audience'].links.nodes).toHaveLength(1);
  });

  it.each([
    ['restorePage', { id: formatNodeId('Page', [UPPER]) }, 'page { pageId }'],
    ['createAudience', { pageId: UPPER }, 'audience { pageId }'],
    [
      'archiveAudience',
      { id: formatNodeId('Audience', [UPPER, UPPER]) },
      'audience { pageId audienceId }',
    ],
    [
      'publishAudienceVersion',
      { id: formatNodeId('AudienceVersion', [UPPER, UPPER, UPPER]) },
      'audienceVersion { audienceId versionId }',
    ],
    ['updateTopic', { id: formatNodeId('Topic', [UPPER]), title: 'new' }, 'topic { topicId }'],
    [
      'createTopicEntry',
      { topicId: UPPER, content: { type: 'text', content: 'new' } },
      'topicEntry { topicId }',
    ],
  ])('does not make the outcome of %s unknown', async (name, input, selection) => {
    const site = await openUuids();
    const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;

    const { data, errors } = await site.ask(
      `mutation ($input: ${typeName}!) { written: ${name}(input: $input) { ${selection} userErrors { code } } }`,
      { variables: { input } },
    );

    expect(errors).toEqual([]);
    const { userErrors, ...written } = data['written'];
    expect(userErrors).toEqual([]);
    for (const id of Object.values<object>(written).flatMap(Object.values)) expect(id).toBe(LOWER);
  });

  it('costs no extra call, and its cursors continue the list of the returned id', async () => {
    const site = await openUuids();
    const list = 'audiences(first: 1) { nodes { audienceId } pageInfo { endCursor } }';

    const { data, errors } = await site.ask(`{ page(pageId: "${UPPER}") { id name ${list} } }`);
    const calls = site.upstream.seen.map(({ target }) => target);
    const { id, audiences } = data['page'];
    const next = await site.ask(
      `{ node(id: "${id}") { ... on Page { name ${list.replace('1', `1, after: "${audiences.pageInfo.endCursor}"`)} } } }`,
    );

    expect([...errors, ...next.errors]).toEqual([]);
    expect(calls.toSorted()).toEqual([
      `/v0/pages/${UPPER}`,
      `/v0/pages/${UPPER}/audiences?limit=1`,
    ]);
    expect(next.data['node'].audiences.nodes).toEqual([{ audienceId: 'audienceId-1' }]);
  });

  it('can appear next to the other letter case in one lookup', async () => {
    const site = await openUuids();
    const audience = formatNodeId('Audience', [LOWER, LOWER]);

    const { data, errors } = await site.ask(
      `{ audience(pageId: "${UPPER}", audienceId: "${audience}") { audienceId createdAt } }`,
    );

    expect(errors).toEqual([]);
    expect(data['audience'].audienceId).toBe(LOWER);
  });
});
