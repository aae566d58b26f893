/** Rows of one table by the values of their columns. */
import { and, eq, getTableColumns, sql, type Column, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { notFound } from '../errors/problem.ts';
import type { Queries } from './database.ts';

/** Rows whose columns hold these values: `equals(persons, { tenantId, personId })`. */
export function equals<Table extends SQLiteTable>(
  table: Table,
  values: Partial<Table['$inferSelect']>,
): SQL | undefined {
  const columns: Record<string, Column> = getTableColumns(table);
  // The names are the table's.
  return and(...Object.entries(values).map(([name, value]) => eq(columns[name]!, value)));
}

/**
 * A correlated subquery as a value to select. Wrapped once more: Drizzle strips the table names from columns that it sees
 * directly inside a selected expression, and the subquery would compare a column with itself.
 */
export const correlated = <Value>(subquery: SQL): SQL<Value> => sql<Value>`${subquery}`;

/**
 * The row whose columns hold these values, the last of which is its id.
 *
 * @throws {Problem} 404 when there is none.
 */
export async function getRow<Table extends SQLiteTable>(
  db: Queries,
  noun: string,
  table: Table,
  values: Partial<Table['$inferSelect']>,
): Promise<Table['$inferSelect']> {
  const row = await db.select().from<SQLiteTable>(table).where(equals(table, values)).get();
  if (!row) throw notFound(noun, String(Object.values(values).at(-1)));
  return row;
}
