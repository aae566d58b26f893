/**
 * Fills an empty database with two tenants and their sample data, in one transaction: a process killed in the middle
 * leaves the database empty, and the next start fills it. A database that has a key is never touched.
 */
import { getTableColumns } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { hashKey } from '../http/api-key.ts';
import type { Database, Queries } from '../database/database.ts';
import { EXAMPLE_API_KEY, OTHER_API_KEY } from './example.ts';
import { samplePages } from './pages.seed.ts';
import { samplePeople } from './people.seed.ts';
import { createRandom, type Random } from './random.seed.ts';
import * as tables from '../database/tables.ts';
import { sampleTopics } from './topics.seed.ts';

const TENANTS = [
  { label: 'demo', key: EXAMPLE_API_KEY, host: 'harbour', scale: 'large' },
  { label: 'demo_two', key: OTHER_API_KEY, host: 'orchard', scale: 'small' },
] as const;

/** Maximum number of values per statement; SQLite allows 32766. */
const MAX_VALUES = 30_000;

/** Content of an empty database: the sample data, or keys and domains only. */
export type Seed = 'none' | 'sample';

/** Inserts keys and domains of both tenants into an empty database, and optionally the sample data. */
export const seedWhenEmpty = (database: Database, seed: Seed): Promise<void> =>
  database.write(async (db) => {
    const anyKey = await db.select().from(tables.apiKeys).limit(1).get();
    if (anyKey) return;
    for (const [position, tenant] of TENANTS.entries()) {
      const rows = rowsOf(tenant, seed, createRandom(20_250 + position));
      for (const [name, some] of Object.entries(rows)) {
        const owned = some.map((row) => ({ ...row, tenantId: `tenant_${tenant.label}` }));
        await insertAll(db, tables[name as keyof typeof rows], owned);
      }
    }
  });

/** The rows of a tenant, by table. */
function rowsOf({ key, label, host, scale }: (typeof TENANTS)[number], seed: Seed, random: Random) {
  const fallbackDomainId = `domain_${label}_fallback`;
  const customDomainId = `domain_${label}_custom`;
  const access = {
    apiKeys: [{ keyHash: hashKey(key) }],
    tenantDomains: [
      { tenantDomainId: fallbackDomainId, host: `${host}.pages.example`, isFallback: true },
      { tenantDomainId: customDomainId, host: `go.${host}.example`, isFallback: false },
    ],
  };
  if (seed === 'none') return access;
  const people = samplePeople(scale, random);
  const topics = sampleTopics(scale, random);
  const domains = { fallbackDomainId, customDomainId };
  const pages = samplePages({ scale, random, domains, persons: people.persons });
  return { ...access, ...people, ...topics, ...pages };
}

async function insertAll(db: Queries, table: SQLiteTable, rows: readonly object[]): Promise<void> {
  const size = Math.floor(MAX_VALUES / Object.keys(getTableColumns(table)).length);
  for (let start = 0; start < rows.length; start += size) {
    await db.insert(table).values(rows.slice(start, start + size));
  }
}
