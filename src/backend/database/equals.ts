/** Conditions on columns of one table. */
import { and, eq, getTableColumns, type Column, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Rows whose columns hold these values: `equals(persons, { tenantId, personId })`. */
export function equals<Table extends SQLiteTable>(
  table: Table,
  values: Partial<Table['$inferSelect']>,
): SQL | undefined {
  const columns: Record<string, Column> = getTableColumns(table);
  // The names are the table's.
  return and(...Object.entries(values).map(([name, value]) => eq(columns[name]!, value)));
}
