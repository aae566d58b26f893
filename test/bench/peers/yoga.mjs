/**
 * graphql-yoga and Pothos as their documentation shows: a schema, a server, fetch and a DataLoader.
 *
 * Both come from the product's own node_modules, so that what is compared is how they are used.
 */
import { createServer } from 'node:http';
import SchemaBuilder from '@pothos/core';
import DataLoader from 'dataloader';
import { createYoga } from 'graphql-yoga';

const { PORT, UPSTREAM_URL } = process.env;

async function get(path, apiKey) {
  const response = await fetch(`${UPSTREAM_URL}/v0/${path}`, { headers: { 'x-api-key': apiKey } });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`GET /v0/${path}: ${response.status}`);
  return response.json();
}

const builder = new SchemaBuilder({});

const PageInfo = builder.objectRef('PageInfo').implement({
  fields: (t) => ({ hasNextPage: t.exposeBoolean('hasNextPage', { nullable: false }) }),
});

const connectionOf = (name, node) =>
  builder.objectRef(`${name}Connection`).implement({
    fields: (t) => ({
      nodes: t.field({ type: [node], resolve: ({ items }) => items }),
      totalCount: t.exposeInt('totalCount'),
      pageInfo: t.field({
        type: PageInfo,
        resolve: ({ hasMore }) => ({ hasNextPage: hasMore }),
      }),
    }),
  });

const listField = (t, type, pathOf) =>
  t.field({
    type,
    args: { first: t.arg.int({ defaultValue: 20 }) },
    resolve: (parent, { first }, { apiKey }) => get(`${pathOf(parent)}?limit=${first}`, apiKey),
  });

const personField = (t) =>
  t.field({
    type: Person,
    resolve: ({ personId }, _args, { persons }) => personId && persons.load(personId),
  });

const PersonLog = builder.objectRef('PersonLog').implement({
  fields: (t) => ({
    personLogId: t.exposeID('personLogId'),
    source: t.exposeString('source'),
    type: t.exposeString('type'),
    createdAt: t.exposeString('createdAt'),
  }),
});
const PersonLogs = connectionOf('PersonLog', PersonLog);

const Person = builder.objectRef('Person').implement({
  fields: (t) => ({
    personId: t.exposeID('personId'),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
    domain: t.exposeString('domain'),
    slug: t.exposeString('slug'),
    phoneNumber: t.exposeString('phoneNumber'),
    createdAt: t.exposeString('createdAt'),
    logs: listField(
      t,
      PersonLogs,
      ({ personId }) => `persons/${encodeURIComponent(personId)}/logs`,
    ),
  }),
});
const Persons = connectionOf('Person', Person);

const AudienceVersion = builder.objectRef('AudienceVersion').implement({
  fields: (t) => ({
    versionNumber: t.exposeInt('versionNumber'),
    status: t.exposeString('status'),
    createdAt: t.exposeString('createdAt'),
    publishedAt: t.exposeString('publishedAt'),
  }),
});

const Audience = builder.objectRef('Audience').implement({
  fields: (t) => ({
    audienceId: t.exposeID('audienceId'),
    effectiveName: t.exposeString('effectiveName'),
    status: t.exposeString('status'),
    latestVersion: t.expose('latestVersion', { type: AudienceVersion }),
    publishedVersion: t.expose('publishedVersion', { type: AudienceVersion }),
    person: personField(t),
  }),
});
const Audiences = connectionOf('Audience', Audience);

const Page = builder.objectRef('Page').implement({
  fields: (t) => ({
    pageId: t.exposeID('pageId'),
    name: t.exposeString('name'),
    title: t.exposeString('title'),
    pageType: t.exposeString('pageType'),
    status: t.exposeString('status'),
    audiences: listField(
      t,
      Audiences,
      ({ pageId }) => `pages/${encodeURIComponent(pageId)}/audiences`,
    ),
  }),
});

const ActivityItem = builder.objectRef('ActivityItem').implement({
  fields: (t) => ({
    activityId: t.exposeID('activityId'),
    type: t.exposeString('type'),
    createdAt: t.exposeString('createdAt'),
    person: personField(t),
  }),
});
const Activity = connectionOf('ActivityItem', ActivityItem);

const Account = builder.objectRef('Account').implement({
  fields: (t) => ({
    accountId: t.exposeID('accountId'),
    name: t.exposeString('name'),
    activity: listField(
      t,
      Activity,
      ({ accountId }) => `accounts/${encodeURIComponent(accountId)}/activity`,
    ),
  }),
});
const Accounts = connectionOf('Account', Account);

builder.queryType({
  fields: (t) => ({
    page: t.field({
      type: Page,
      args: { pageId: t.arg.id({ required: true }) },
      resolve: (_root, { pageId }, { apiKey }) =>
        get(`pages/${encodeURIComponent(pageId)}`, apiKey),
    }),
    persons: listField(t, Persons, () => 'persons'),
    accounts: listField(t, Accounts, () => 'accounts'),
  }),
});

const yoga = createYoga({
  schema: builder.toSchema(),
  context: ({ request }) => {
    const apiKey = request.headers.get('x-api-key');
    return {
      apiKey,
      persons: new DataLoader((ids) =>
        Promise.all(ids.map((id) => get(`persons/${encodeURIComponent(id)}`, apiKey))),
      ),
    };
  },
});

createServer(yoga).listen(Number(PORT), '127.0.0.1');
