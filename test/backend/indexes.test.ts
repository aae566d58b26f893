/** Every list reads an index, by the query plans of SQLite. */
import { createClient, type Client, type InStatement, type ResultSet } from '@libsql/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shareTestBackend } from './support.ts';

const ACCOUNT = '/v0/accounts/account_harborlight_logistics';
const AUDIENCES = '/v0/pages/page_northwind/audiences';

const LISTS = [
  '/v0/accounts',
  '/v0/accounts?includeEmptyOnly=true',
  '/v0/accounts/search?query=a',
  '/v0/accounts/search?query=a&includeEmptyOnly=true',
  ACCOUNT,
  `${ACCOUNT}/logs`,
  `${ACCOUNT}/logs?includeDeleted=true`,
  `${ACCOUNT}/activity`,
  '/v0/persons',
  '/v0/persons/person_ada_lindqvistova/logs',
  '/v0/topics',
  '/v0/page_links',
  '/v0/page_links?path=/northwind',
  '/v0/page_links?pageId=page_northwind',
  '/v0/page_links?tenantDomainId=domain_demo_custom',
  AUDIENCES,
  `${AUDIENCES}/audience_northwind_01/versions`,
];

/** Lists in an order that no index has: two merged tables, and relevance. */
const SORTED = [`${ACCOUNT}/activity?includePersonActivity=true`, '/v0/pages/search?query=page'];

type Execute = (this: Client, statement: InStatement) => Promise<ResultSet>;

/** The statements of the backend, with their connections. */
const asked: { client: Client; statement: InStatement }[] = [];
const prototype = prototypeOfClients();
const { execute } = prototype as unknown as { readonly execute: Execute };

beforeAll(() => {
  Reflect.set(prototype, 'execute', function (this: Client, statement: InStatement) {
    asked.push({ client: this, statement });
    return execute.call(this, statement);
  });
});
afterAll(() => {
  Reflect.set(prototype, 'execute', execute);
});
const backend = shareTestBackend();

it.each(LISTS)(
  '%s reads in the order of an index, from the start and after a cursor',
  async (path) => {
    const and = path.includes('?') ? '&' : '?';
    const { body } = await backend.call(`${path}${and}limit=1`);

    const first = await plansOf(`${path}${and}limit=100`);
    const next = body.nextCursor ? `${path}${and}limit=1&cursor=${body.nextCursor}` : path;
    const steps = [...first, ...(await plansOf(next))];

    expect(steps.filter((step) => / USING .*(?:INDEX|PRIMARY KEY)/.test(step))).not.toEqual([]);
    expect(steps.filter((step) => /^SCAN |TEMP B-TREE|AUTOMATIC/.test(step))).toEqual([]);
  },
);

it.each(SORTED)('%s sorts rows that it reads by an index', async (path) => {
  const steps = await plansOf(path);

  expect(steps.some((step) => step.includes(' USING '))).toBe(true);
  // Only rows that an index has found are scanned, never a table.
  expect(steps.filter((step) => /^SCAN (?!feed$)|AUTOMATIC/.test(step))).toEqual([]);
});

/** The steps of SQLite's query plans for a path. */
async function plansOf(path: string): Promise<string[]> {
  asked.length = 0;
  expect((await backend.call(path)).status).toBe(200);
  const steps: string[] = [];
  for (const { client, statement } of [...asked]) {
    if (typeof statement === 'string' || !/^select/i.test(statement.sql)) continue;
    const { rows } = await execute.call(client, {
      ...statement,
      sql: `EXPLAIN QUERY PLAN ${statement.sql}`,
    });
    steps.push(...rows.map(({ detail }) => detail as string)); // a string in every plan
  }
  return steps;
}

function prototypeOfClients(): Client {
  const client = createClient({ url: ':memory:' });
  client.close();
  return Object.getPrototypeOf(client) as Client;
}
