/**
 * Fills an empty database: two tenants with sample data, so that a fresh start has a lot to show.
 *
 * All of it is one transaction: a process killed in the middle leaves the database empty, and the
 * next start fills it. A database that has a key is never touched.
 */
import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { hashKey } from '../http/api-key.ts';
import type { Database } from '../database/database.ts';
import type { Executor } from '../database/database.ts';
import { EXAMPLE_API_KEY, OTHER_API_KEY } from './example.ts';
import { samplePages } from './pages.seed.ts';
import { samplePeople } from './people.seed.ts';
import { createRandom } from './random.seed.ts';
import * as tables from '../database/tables.ts';
import { sampleTopics } from './topics.seed.ts';

const TENANTS = [
  { tenantId: 'tenant_demo', key: EXAMPLE_API_KEY, label: 'demo', host: 'harbour' },
  { tenantId: 'tenant_demo_two', key: OTHER_API_KEY, label: 'demo_two', host: 'orchard' },
] as const;

/** The most values one statement carries; SQLite takes 32766. */
const MAX_VALUES = 30_000;

/** Puts the keys and domains of both tenants into an empty database, and the sample if asked. */
export const seedWhenEmpty = (database: Database, seed: 'none' | 'sample'): Promise<void> =>
  database.write(async (db) => {
    const anyKey = await db.select().from(tables.apiKeys).limit(1).get();
    if (anyKey) return;
    for (const [position, { tenantId, key, label, host }] of TENANTS.entries()) {
      await db.insert(tables.apiKeys).values({ keyHash: hashKey(key), tenantId });
      const fallbackDomainId = `domain_${label}_fallback`;
      const customDomainId = `domain_${label}_custom`;
      await db
        .insert(tables.tenantDomains)
        .values([
          domain(tenantId, fallbackDomainId, `${host}.pages.example`, true),
          domain(tenantId, customDomainId, `go.${host}.example`, false),
        ]);
      if (seed === 'none') continue;

      const scale = position === 0 ? 'large' : 'small';
      const random = createRandom(20_250 + position);
      const people = samplePeople(tenantId, scale, random);
      await insertAll(db, tables.accounts, people.accounts);
      await insertAll(db, tables.persons, people.persons);
      await insertAll(db, tables.accountLogs, people.accountLogs);
      await insertAll(db, tables.personLogs, people.personLogs);

      const topics = sampleTopics(tenantId, scale, random);
      await insertAll(db, tables.topics, topics.topics);
      await insertAll(db, tables.topicEntries, topics.entries);

      const domains = { fallbackDomainId, customDomainId };
      const pages = samplePages({ tenantId, scale, random, domains, persons: people.persons });
      await insertAll(db, tables.pages, pages.pages);
      await insertAll(db, tables.audiences, pages.audiences);
      await insertAll(db, tables.versions, pages.versions);
      await insertAll(db, tables.pageLinks, pages.pageLinks);
    }
  });

const domain = (tenantId: string, tenantDomainId: string, host: string, isFallback: boolean) => ({
  tenantDomainId,
  tenantId,
  host,
  isFallback,
});

async function insertAll<Table extends SQLiteTable>(
  db: Executor,
  table: Table,
  rows: readonly Table['$inferInsert'][],
): Promise<void> {
  const size = Math.floor(MAX_VALUES / Object.keys(getTableColumns(table)).length);
  for (let start = 0; start < rows.length; start += size) {
    await db.insert(table).values(rows.slice(start, start + size));
  }
}
