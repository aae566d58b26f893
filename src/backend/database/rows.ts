/** Rows: ids and times of new ones, and queries by values of columns. */
import { randomBytes } from 'node:crypto';
import { and, eq, getTableColumns, sql, type Column, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { notFound } from '../errors.ts';
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

/** A query of Drizzle after `from`. */
interface Select<Row> {
  where(condition: SQL | undefined): { get(): Promise<Row | undefined> };
}

/**
 * Returns the tenant's row with these values, the last of which is its id.
 *
 * @param select defaults to all columns of the table.
 * @throws {Problem} 404 if there is none.
 */
export async function getRow<Table extends SQLiteTable, Row = Table['$inferSelect']>(
  { db, tenantId }: { readonly db: Queries; readonly tenantId: string },
  noun: string,
  table: Table,
  values: Partial<Table['$inferSelect']>,
  select: Select<Row> = db.select().from<SQLiteTable>(table) as Select<Row>,
): Promise<Row> {
  const row = await select.where(equals<SQLiteTable>(table, { tenantId, ...values })).get();
  if (!row) throw notFound(noun, String(Object.values(values).at(-1)));
  return row;
}

/**
 * A monotonic clock in epoch milliseconds: lists are ordered by age, so a corrected system clock must not put new rows
 * before a cursor.
 */
export const now = (): number => (lastMs = Math.max(lastMs, Date.now()));
let lastMs = 0;

/** Ids per millisecond; further ids use the next one. */
const COUNT_PER_MS = 1_000;

let last = 0;

/**
 * An id such as `page_mfz2k1x8q000a3f9c`: time, counter and random characters. Ids are monotonic, so rows of one
 * millisecond keep their order.
 */
export function newId(prefix: string): string {
  last = Math.max(last + 1, now() * COUNT_PER_MS);
  return `${prefix}_${last.toString(36).padStart(11, '0')}${randomBytes(3).toString('hex')}`;
}
