/** Queries of rows by values of columns. */
import { and, eq, getTableColumns, sql, type Column, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { notFound } from '../errors/problem.ts';
import type { Queries } from './database.ts';

/** Condition on values of columns: `equals(persons, { tenantId, personId })`. */
export function equals<Table extends SQLiteTable>(
  table: Table,
  values: Partial<Table['$inferSelect']>,
): SQL | undefined {
  const columns: Record<string, Column> = getTableColumns(table);
  // Typed by the table.
  return and(...Object.entries(values).map(([name, value]) => eq(columns[name]!, value)));
}

/**
 * A correlated subquery as a selected value. Wrapped, since Drizzle strips table names from columns directly inside a
 * selected expression, and the subquery would compare a column with itself.
 */
export const correlated = <Value>(subquery: SQL): SQL<Value> => sql<Value>`${subquery}`;

/**
 * Returns the row with these values, the last of which is its id.
 *
 * @throws {Problem} 404 if there is none.
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
