/**
 * One page of a list: rows after a cursor, the true total, and the next cursor.
 *
 * Every list of the backend is ordered by columns of one direction whose last is unique, and read
 * by comparing those columns as one value: an index walk, whatever the depth.
 */
import { sql } from 'drizzle-orm';
import type { Column, SQL } from 'drizzle-orm';
import { DEFAULT_LIMIT } from '../../v0/list.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import type { Keys } from './cursor.ts';

/** What a caller asked of a list. `scope` names the list and its filters. */
export interface ListRequest {
  readonly scope: string;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ListOrder<Row> {
  readonly direction: 'asc' | 'desc';
  readonly columns: readonly (Column | SQL)[];
  /** The sort keys of a row, in the order of `columns`. */
  readonly keysOf: (row: Row) => Keys;
  /** One value of each column's type: what a cursor of this list holds. */
  readonly example: Keys;
}

/** A page as a query needs it: a condition, an order, and one row more than is answered. */
export interface PageQuery {
  readonly after: SQL | undefined;
  readonly orderBy: SQL;
  readonly fetch: number;
}

/** The envelope as it is sent. Source: interface.md, "List envelope". */
export interface ListAnswer<Item> {
  items: Item[];
  hasMore: boolean;
  nextCursor: string | null;
  totalCount: number;
}

/**
 * Reads one page.
 *
 * @param rows answers at most `fetch` rows that fulfil `after`, in order.
 * @param total answers how many rows the whole list has.
 * @throws {Problem} 400 for a cursor of another list.
 */
export async function listPage<Row, Item>(
  request: ListRequest,
  order: ListOrder<Row>,
  rows: (query: PageQuery) => Promise<readonly Row[]>,
  total: () => Promise<number>,
  present: (row: Row) => Item,
): Promise<ListAnswer<Item>> {
  const limit = request.limit ?? DEFAULT_LIMIT;
  const columns = sql.join([...order.columns], sql`, `);
  const found = await rows({
    after: after(request, order, columns),
    orderBy: sql.join(
      order.columns.map((column) => sql`${column} ${sql.raw(order.direction)}`),
      sql`, `,
    ),
    fetch: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  return {
    items: page.map(present),
    hasMore,
    nextCursor: hasMore && last ? formatCursor(request.scope, order.keysOf(last)) : null,
    totalCount: await total(),
  };
}

function after<Row>(
  { scope, cursor }: ListRequest,
  { direction, example }: ListOrder<Row>,
  columns: SQL,
): SQL | undefined {
  if (cursor === undefined) return undefined;
  const keys = parseCursor(scope, cursor, example).map((key) => sql`${key}`);
  return sql`(${columns}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${sql.join(keys, sql`, `)})`;
}
