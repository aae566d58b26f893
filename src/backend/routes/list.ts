/**
 * Pages of lists: rows after a cursor, the total, and the next cursor.
 *
 * Keyset pagination: lists are ordered by columns of one direction, the last of which is unique, and compared as a row
 * value, which is an index scan at any depth. A cursor contains these values of the last item, so inserted and deleted
 * rows shift nothing.
 */
import { hash } from 'node:crypto';
import { and, eq, sql, type Column, type SQL, type Subquery } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DEFAULT_LIMIT } from '../../v0/list.ts';
import { Problem } from '../errors.ts';
import type { HandlerCall, Presented } from '../http/handler.ts';

/** A query of Drizzle after `from`. */
interface Select<Row> {
  where(condition: SQL | undefined): {
    orderBy(order: SQL): { limit(count: number): PromiseLike<readonly Row[]> };
  };
}

interface ListQuery<Table, Row, Item> {
  /** Table of the counted rows, their tenant, and the columns of the order. */
  readonly table: Table;
  /** @default all columns of the table */
  readonly select?: Select<Row>;
  readonly where?: SQL | undefined;
  readonly direction?: 'asc' | 'desc';
  /** Non-null columns of text and numbers, the last of which is unique. */
  readonly order: readonly (keyof NoInfer<Row> & string)[];
  /** @default `present` of the call */
  readonly present?: (row: NoInfer<Row>) => Item;
}

/**
 * Returns a page of the tenant's rows in the envelope of interface.md, "List envelope".
 *
 * @throws {Problem} 400 for a cursor of another list.
 */
export async function listPage<
  Table extends SQLiteTable | Subquery,
  Row extends object = Table extends SQLiteTable ? Table['$inferSelect'] : never,
  Item = Presented<Row>,
>(
  {
    db,
    tenantId,
    list,
    present: presentRow,
  }: Pick<HandlerCall, 'db' | 'tenantId' | 'list' | 'present'>,
  query: ListQuery<Table, Row, Item>,
) {
  const { scope, cursor, limit = DEFAULT_LIMIT } = list;
  const { table, where, direction = 'asc', order } = query;
  // Safe casts: the types of the defaults.
  const select = query.select ?? (db.select().from<Subquery | SQLiteTable>(table) as Select<Row>);
  const present = query.present ?? (presentRow as (row: Row) => Item);
  const all = table as unknown as Record<string, Column>;
  const columns = order.map((name) => all[name]!);
  const isListed = and(eq(all['tenantId']!, tenantId), where);
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<');
  const after =
    cursor === undefined
      ? undefined
      : sql`(${join(columns)}) ${isAfter} ${parseCursor(scope, cursor)}`;
  const found = await select
    .where(and(isListed, after))
    .orderBy(join(columns.map((column) => sql`${column} ${sql.raw(direction)}`)))
    .limit(limit + 1);
  const page = found.slice(0, limit);
  const hasMore = found.length > limit;
  const last = hasMore ? page.at(-1) : undefined;
  const keys = last && order.map((name) => last[name]);
  return {
    items: page.map(present),
    hasMore,
    nextCursor: keys ? formatCursor(scope, keys) : null,
    totalCount: await db.$count(table, isListed),
  };
}

const join = (parts: readonly (Column | SQL)[]): SQL => sql.join([...parts], sql`, `);

/** Assumed: the format, since cursors are opaque. */
const formatCursor = (scope: string, keys: readonly unknown[]): string =>
  signed(scope, Buffer.from(JSON.stringify(keys)).toString('base64url'));

/** @throws {Problem} 400 for a cursor of another list or other filters, or with changed keys. */
function parseCursor(scope: string, cursor: string): unknown[] {
  const [text = ''] = cursor.split('.');
  if (cursor === signed(scope, text)) {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]; // as formatted
  }
  const message =
    'The cursor does not belong to this list and these filters. Start over without a cursor';
  const reason = 'not created for this list and these filters';
  throw new Problem(400, message, { field: 'cursor', reason });
}

/** Adds a fingerprint of the list to the keys of a cursor. */
const signed = (scope: string, text: string): string =>
  `${text}.${hash('sha256', scope + text, 'base64url').slice(0, 10)}`;
