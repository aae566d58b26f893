/**
 * The database's shape, step by step: each migration runs once, in order, in one transaction.
 *
 * They are TypeScript and not .sql files, so that a plain `tsc` build carries them. Never edit one
 * that has shipped: add the next. A test compares the outcome with `tables.ts`.
 */
import { sql } from 'drizzle-orm';
import type { Executor } from './executor.ts';
import { firstTables, type Migration } from './first-tables.migration.ts';

export const migrations: readonly Migration[] = [firstTables];

/**
 * Brings the database to the newest shape.
 *
 * @throws {Error} when a newer release has written to it: an old program must not touch that.
 */
export async function migrate(transaction: Executor, nowMs: number): Promise<void> {
  await transaction.run(
    sql`CREATE TABLE IF NOT EXISTS backend_migrations (name text PRIMARY KEY, applied_at integer)`,
  );
  const rows = await transaction.all<{ name: string }>(sql`SELECT name FROM backend_migrations`);
  const applied = new Set(rows.map(({ name }) => name));
  for (const { name } of migrations) applied.delete(name);
  if (applied.size > 0) {
    throw new Error(
      `it was written by a newer release (migration "${[...applied].join('", "')}"); start that release, or name another database`,
    );
  }
  const done = new Set(rows.map(({ name }) => name));
  for (const { name, statements } of migrations.filter((migration) => !done.has(migration.name))) {
    for (const statement of statements) await transaction.run(sql.raw(statement));
    await transaction.run(
      sql`INSERT INTO backend_migrations (name, applied_at) VALUES (${name}, ${nowMs})`,
    );
  }
}
