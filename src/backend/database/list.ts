/**
 * One page of a list: rows after a cursor, the true total, and the next cursor.
 *
 * Every list of the backend is ordered by columns of one direction whose last is unique, and read
 * by comparing those columns as one value: an index walk, whatever the depth. A cursor holds these
 * values of the last item answered, not a position, so rows that come and go before it shift nothing.
 */
import { createHash } from 'node:crypto';
import { and, Column, getTableColumns, is, sql, type SQL, type Subquery } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DEFAULT_LIMIT } from '../../v0/list.ts';
import { Problem } from '../errors/problem.ts';
import type { Executor } from './database.ts';

/** What a caller asked of a list. `scope` names the list and its filters. */
export interface ListRequest {
  readonly scope: string;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** The values of a row that a list is ordered by. */
type Keys = readonly (string | number)[];

export interface ListOrder<Row> {
  readonly direction: 'asc' | 'desc';
  readonly columns: readonly (Column | SQL)[];
  /** What each column holds, and so a cursor of this list. @default as the table has it, which knows no expressions */
  readonly types?: readonly string[];
  readonly keysOf: (row: Row) => Keys;
}

/** The envelope as it is sent. Source: interface.md, "List envelope". */
interface ListAnswer<Item> {
  items: Item[];
  hasMore: boolean;
  nextCursor: string | null;
  totalCount: number;
}

/** The order by some columns of a table, the last of which is unique. */
export function orderOf<
  Table extends SQLiteTable,
  Name extends keyof Table['$inferSelect'] & string,
>(
  table: Table,
  direction: 'asc' | 'desc',
  ...names: readonly Name[]
): ListOrder<Pick<Table['$inferSelect'], Name>> {
  const all: Record<string, Column> = getTableColumns(table);
  return {
    direction,
    columns: names.map((name) => all[name]!), // the names are the table's
    // Columns that lists are ordered by hold text and numbers, never null.
    keysOf: (row) => names.map((name) => row[name] as string | number),
  };
}

/** What is selected, as Drizzle answers a `select` with its `from`. */
interface Select<Row> {
  where(condition: SQL | undefined): {
    orderBy(order: SQL): { limit(count: number): PromiseLike<readonly Row[]> };
  };
}

interface List<Row, Item> {
  readonly select: Select<Row>;
  /** Whose rows are counted. */
  readonly table: SQLiteTable | Subquery;
  readonly where?: SQL | undefined;
  readonly order: ListOrder<Row>;
  readonly present: (row: Row) => Item;
}

/**
 * One page of what is selected.
 *
 * @throws {Problem} 400 for a cursor of another list.
 */
export async function listPage<Row, Item>(
  db: Executor,
  { scope, cursor, limit = DEFAULT_LIMIT }: ListRequest,
  { select, table, where, order, present }: List<Row, Item>,
): Promise<ListAnswer<Item>> {
  const { direction, columns, keysOf, types = columns.map(typeOf) } = order;
  const isAfter = sql.raw(direction === 'asc' ? '>' : '<');
  const after =
    cursor === undefined
      ? undefined
      : sql`(${joined(columns)}) ${isAfter} ${[...parseCursor(scope, cursor, types)]}`;
  const found = await select
    .where(and(where, after))
    .orderBy(joined(columns.map((column) => sql`${column} ${sql.raw(direction)}`)))
    .limit(limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  return {
    items: page.map(present),
    hasMore,
    nextCursor: hasMore && last ? formatCursor(scope, keysOf(last)) : null,
    totalCount: await db.$count(table, where),
  };
}

const typeOf = (column: Column | SQL): string =>
  is(column, Column) && column.dataType === 'number' ? 'number' : 'string';

const joined = (parts: readonly (Column | SQL)[]): SQL => sql.join([...parts], sql`, `);

/** Source: interface.md, "List envelope". Assumed: the format, since cursors are opaque. */
function formatCursor(scope: string, keys: Keys): string {
  return Buffer.from(JSON.stringify([fingerprint(scope), ...keys])).toString('base64url');
}

/** @throws {Problem} 400 when the cursor was not made for this list and these filters. */
function parseCursor(scope: string, cursor: string, types: readonly string[]): Keys {
  const [mark, ...keys] = readJsonArray(Buffer.from(cursor, 'base64url').toString());
  const fits =
    mark === fingerprint(scope) &&
    keys.length === types.length &&
    // JSON has no infinity, but `1e999` is read as one, which SQLite does not take.
    keys.every((key, i) => typeof key === types[i] && key !== Infinity && key !== -Infinity);
  if (!fits) {
    throw new Problem(400, 'The cursor is not one of this list: start again without a cursor', {
      field: 'cursor',
      reason: 'not made for this list and these filters',
    });
  }
  return keys as Keys; // each is of its column's type
}

function readJsonArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function fingerprint(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 10);
}
