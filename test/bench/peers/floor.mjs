/**
 * The floor: `node:http`, undici's `dispatch` and JSON, with the queries written by hand. No server with a graph can need
 * less.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const { PORT, UPSTREAM_URL } = process.env;

const pool = new Pool(UPSTREAM_URL, { connections: 128 });

const get = (path, apiKey) =>
  new Promise((resolve, reject) => {
    const chunks = [];
    pool.dispatch(
      {
        method: 'GET',
        path: `/v0/${path}`,
        headers: ['x-api-key', apiKey, 'accept', 'application/json'],
      },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () =>
          resolve(JSON.parse(chunks.length > 1 ? Buffer.concat(chunks) : chunks[0])),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });

const pick = (names) => {
  const list = names.split(' ');
  return (object) => Object.fromEntries(list.map((name) => [name, object[name]]));
};

/** Persons by id, each read once. */
const personsOf = (apiKey, fields) => {
  const persons = new Map();
  return (id) => {
    if (!persons.has(id)) persons.set(id, get(`persons/${id}`, apiKey).then(pick(fields)));
    return persons.get(id);
  };
};

const page = async (fields, { id }, apiKey) => ({
  page: pick(fields)(await get(`pages/${id}`, apiKey)),
});

const screen = async ({ id }, apiKey) => {
  const person = personsOf(apiKey, 'personId name email');
  const [found, { items, totalCount }] = await Promise.all([
    get(`pages/${id}`, apiKey),
    get(`pages/${id}/audiences?limit=20`, apiKey),
  ]);
  const latest = pick('versionNumber status createdAt');
  const published = pick('versionNumber status publishedAt');
  const nodes = items.map(async (audience) => ({
    ...pick('audienceId effectiveName status')(audience),
    latestVersion: latest(audience.latestVersion),
    publishedVersion: published(audience.publishedVersion),
    person: await person(audience.personId),
  }));
  return {
    page: {
      ...pick('name title')(found),
      audiences: { totalCount, nodes: await Promise.all(nodes) },
    },
  };
};

const persons = async (apiKey) => {
  const { items, hasMore } = await get('persons?limit=100', apiKey);
  const fields = pick('personId name email domain slug phoneNumber createdAt');
  return { persons: { nodes: items.map(fields), pageInfo: { hasNextPage: hasMore } } };
};

const logs = async (apiKey) => {
  const { items } = await get('persons?limit=100', apiKey);
  const fields = pick('personLogId source type createdAt');
  const nodes = items.map(async ({ personId, name }) => {
    const found = await get(`persons/${personId}/logs?limit=5`, apiKey);
    return { personId, name, logs: { nodes: found.items.map(fields) } };
  });
  return { persons: { nodes: await Promise.all(nodes) } };
};

const activity = async (apiKey) => {
  const person = personsOf(apiKey, 'personId name');
  const { items } = await get('accounts?limit=2', apiKey);
  const nodes = items.map(async ({ accountId, name }) => {
    const found = await get(`accounts/${accountId}/activity?limit=10`, apiKey);
    const entries = found.items.map(async (item) => ({
      ...pick('activityId type createdAt')(item),
      person: await person(item.personId),
    }));
    return { accountId, name, activity: { nodes: await Promise.all(entries) } };
  });
  return { accounts: { nodes: await Promise.all(nodes) } };
};

function dataOf({ query, variables }, apiKey) {
  if (query === '{ __typename }') return { __typename: 'Query' };
  if (query.includes('audiences(')) return screen(variables, apiKey);
  if (query.includes('activity(')) return activity(apiKey);
  if (query.includes('logs(')) return logs(apiKey);
  if (query.includes('persons(')) return persons(apiKey);
  const fields = query.includes('pageType') ? 'pageId name title pageType status' : 'name title';
  return page(fields, variables, apiKey);
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = JSON.parse(chunks.length > 1 ? Buffer.concat(chunks) : chunks[0]);
    const data = await dataOf(body, request.headers['x-api-key']);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data }));
  });
}).listen(Number(PORT), '127.0.0.1');
