/**
 * Grafast with plan resolvers, loaders and an undici pool, served by Grafserv on Node's own server.
 *
 * A loader gets the ids of a whole level, each once. Lists are loaded by `loadOne` too, since
 * `loadMany` returns items alone, without what is next to them.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constant, context, get, inhibitOnNull, loadOne, makeGrafastSchema } from 'grafast';
import { grafserv } from 'grafserv/node';
import { Pool } from 'undici';

const { PORT, UPSTREAM_URL } = process.env;

const pool = new Pool(UPSTREAM_URL, { connections: 64 });

async function read(path, apiKey) {
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path: `/v0/${path}`,
    headers: { 'x-api-key': apiKey, accept: 'application/json' },
  });
  if (statusCode === 200) return body.json();
  await body.dump();
  if (statusCode === 404) return null;
  throw new Error(`GET /v0/${path}: ${statusCode}`);
}

/** @param idField has the id that was requested with, so that what needs no more begins at once. */
const loaderOf = (pathOf, idField) => ({
  load: (ids, { shared: apiKey, params: { limit } }) =>
    ids.map((id) => read(pathOf(encodeURIComponent(id), limit), apiKey)),
  shared: () => context().get('apiKey'),
  ioEquivalence: idField,
});

const pages = loaderOf((id) => `pages/${id}`, 'pageId');
const persons = loaderOf((id) => `persons/${id}`, 'personId');

function listOf(pathOf) {
  const lists = loaderOf((id, limit) => `${pathOf(id)}?limit=${limit}`);
  return ($id, { $first }) => {
    const $list = loadOne($id, lists);
    $list.setParam('limit', $first);
    return $list;
  };
}

const all = listOf((name) => name);
const audiences = listOf((pageId) => `pages/${pageId}/audiences`);
const logs = listOf((personId) => `persons/${personId}/logs`);
const activity = listOf((accountId) => `accounts/${accountId}/activity`);

const person = ($parent) => loadOne(inhibitOnNull(get($parent, 'personId')), persons);
const nodes = ($list) => $list.get('items');

const schema = makeGrafastSchema({
  typeDefs: readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'),
  objects: {
    Query: {
      plans: {
        page: (_root, { $pageId }) => loadOne($pageId, pages),
        persons: (_root, args) => all(constant('persons'), args),
        accounts: (_root, args) => all(constant('accounts'), args),
      },
    },
    PageInfo: { plans: { hasNextPage: ($list) => $list.get('hasMore') } },
    Page: { plans: { audiences: ($page, args) => audiences(get($page, 'pageId'), args) } },
    AudienceConnection: { plans: { nodes } },
    Audience: { plans: { person } },
    PersonConnection: { plans: { nodes, pageInfo: ($list) => $list } },
    Person: { plans: { logs: ($person, args) => logs(get($person, 'personId'), args) } },
    PersonLogConnection: { plans: { nodes } },
    AccountConnection: { plans: { nodes } },
    Account: {
      plans: { activity: ($account, args) => activity(get($account, 'accountId'), args) },
    },
    ActivityItemConnection: { plans: { nodes } },
    ActivityItem: { plans: { person } },
  },
});

const server = createServer();
await grafserv({
  schema,
  preset: {
    grafserv: { graphiql: false, outputDataAsString: true },
    grafast: { context: ({ node }) => ({ apiKey: node.req.headers['x-api-key'] }) },
  },
}).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
