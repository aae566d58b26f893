/** The true number of rows that fulfil a condition. */
import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Executor } from './executor.ts';

export async function count(
  db: Executor,
  table: SQLiteTable,
  condition: SQL | undefined,
): Promise<number> {
  const row = await db
    .select({ rows: sql<number>`count(*)` })
    .from(table)
    .where(condition)
    .get();
  return row?.rows ?? 0;
}
