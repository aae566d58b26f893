/**
 * What queries are written against: the database itself, or a transaction of it.
 *
 * Cut to what queries use, so that none of them can open, close or migrate anything.
 */
import type { ResultSet } from '@libsql/client';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';

export type Executor = Pick<
  BaseSQLiteDatabase<'async', ResultSet, Record<string, never>>,
  '$count' | 'all' | 'delete' | 'get' | 'insert' | 'run' | 'select' | 'selectDistinct' | 'update'
>;
