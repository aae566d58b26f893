/**
 * Fills an empty database with two tenants and their sample data, in one transaction: a process killed in the middle
 * leaves the database empty, and the next start fills it. A database that has a key is never touched.
 */
import type { Database } from '../database/database.ts';
import { EXAMPLE_API_KEY, OTHER_API_KEY } from './example.ts';
import { ORCHARD_PAGES, PAGES, samplePages } from './pages.seed.ts';
import { COMPANIES, ORCHARDS, samplePeople } from './people.seed.ts';
import * as tables from '../database/tables.ts';
import sample from './sample.json' with { type: 'json' };
import { sampleTopics, TOPICS } from './topics.seed.ts';

const TENANTS = [
  {
    label: 'demo',
    key: EXAMPLE_API_KEY,
    host: 'harbour',
    pages: PAGES,
    companies: COMPANIES,
    topics: TOPICS,
    prefix: 'topic',
    firstName: 0,
  },
  {
    label: 'demo_two',
    key: OTHER_API_KEY,
    host: 'orchard',
    pages: ORCHARD_PAGES,
    companies: ORCHARDS,
    topics: sample.orchardTopics,
    prefix: 'topic_two',
    // Behind all names of the first tenant, so that the two share no person.
    firstName: 205,
  },
];

/** Rows per statement: SQLite allows 32766 values. */
const ROWS_PER_STATEMENT = 1_000;

/** Content of an empty database: the sample data, or keys and domains only. */
export type Seed = 'none' | 'sample';

export const seedWhenEmpty = (database: Database, seed: Seed): Promise<void> =>
  database.write(async (db) => {
    const anyKey = await db.select().from(tables.apiKeys).limit(1).get();
    if (anyKey) return;
    for (const tenant of TENANTS) {
      const rows = rowsOf(tenant, seed);
      for (const [name, some] of Object.entries(rows)) {
        const table = tables[name as keyof typeof rows];
        const owned = some.map((row) => ({ ...row, tenantId: `tenant_${tenant.label}` }));
        for (let start = 0; start < owned.length; start += ROWS_PER_STATEMENT) {
          await db.insert(table).values(owned.slice(start, start + ROWS_PER_STATEMENT));
        }
      }
    }
  });

function rowsOf(tenant: (typeof TENANTS)[number], seed: Seed) {
  const { label, host } = tenant;
  const fallback = `domain_${label}_fallback`;
  const custom = `domain_${label}_custom`;
  const access = {
    apiKeys: [{ keyHash: tables.hashKey(tenant.key) }],
    tenantDomains: [
      { tenantDomainId: fallback, host: `${host}.pages.example`, isFallback: true },
      { tenantDomainId: custom, host: `go.${host}.example`, isFallback: false },
    ],
  };
  if (seed === 'none') return access;
  const people = samplePeople(tenant.companies, tenant.firstName);
  const domains = [fallback, fallback, fallback, custom];
  return {
    ...access,
    ...people,
    ...sampleTopics(tenant.topics, tenant.prefix),
    ...samplePages(tenant.pages, domains, people.persons),
  };
}
