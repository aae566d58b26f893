/**
 * Fills an empty database with two tenants and their sample data, in one transaction: a process killed in the middle
 * leaves the database empty, and the next start fills it. A database that has a key is never touched.
 */
import type { Database } from '../database/database.ts';
import * as tables from '../database/tables.ts';
import { samplePages, type Sketch } from './pages.seed.ts';
import { samplePeople } from './people.seed.ts';
import sample from './sample.json' with { type: 'json' };
import { sampleTopics } from './topics.seed.ts';

/** Rows per statement: SQLite allows 32766 values. */
const ROWS_PER_STATEMENT = 1_000;

export const seedWhenEmpty = (database: Database): Promise<void> =>
  database.write(async (db) => {
    const anyKey = await db.select().from(tables.apiKeys).limit(1).get();
    if (anyKey) return;
    for (const [key, tenant] of Object.entries(sample.tenants)) {
      const rows = rowsOf(key, tenant);
      for (const [name, some] of Object.entries(rows)) {
        const table = tables[name as keyof typeof rows];
        const owned = some.map((row) => ({ ...row, tenantId: `tenant_${tenant.label}` }));
        for (let start = 0; start < owned.length; start += ROWS_PER_STATEMENT) {
          await db.insert(table).values(owned.slice(start, start + ROWS_PER_STATEMENT));
        }
      }
    }
  });

type Tenant = (typeof sample.tenants)['demo' | 'demo-two'];

function rowsOf(key: string, tenant: Tenant) {
  const { label, host, topics, topicPrefix, companies, firstPerson } = tenant;
  const fallback = `domain_${label}_fallback`;
  const custom = `domain_${label}_custom`;
  const access = {
    apiKeys: [{ keyHash: tables.hashKey(key) }],
    tenantDomains: [
      { tenantDomainId: fallback, host: `${host}.pages.example`, isFallback: true },
      { tenantDomainId: custom, host: `go.${host}.example`, isFallback: false },
    ],
  };
  const people = samplePeople(companies, firstPerson);
  const domains = [fallback, fallback, fallback, custom];
  // Safe cast: TypeScript widens the strings of JSON.
  const pages = samplePages(tenant.pages as readonly Sketch[], domains, people.persons);
  return { ...access, ...people, ...sampleTopics(topics, topicPrefix), ...pages };
}
