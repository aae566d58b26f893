/**
 * Logs of persons and accounts, newest first. Source: interface.md, "Accounts", "Persons".
 *
 * `activity.routes.ts` merges both into the feed of an account.
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { AccountLog, PersonLog } from '../../v0/log.ts';
import { getAccountRow } from './account.routes.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { getPersonRow } from './person.routes.ts';
import { notFound } from '../http/problem.ts';
import { accountLogs, personLogs } from '../database/tables.ts';
import type { AccountLogRow, PersonLogRow } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

type LogRoute = 'getAccountLog' | 'getPersonLog' | 'listAccountLogs' | 'listPersonLogs';

/** Assumed: newest first, since the document shows no order. */
const accountLogsByAge: ListOrder<AccountLogRow> = {
  direction: 'desc',
  columns: [accountLogs.createdAt, accountLogs.accountLogId],
  keysOf: ({ createdAt, accountLogId }) => [createdAt, accountLogId],
  example: [0, ''],
};

/** Assumed: newest first, since the document shows no order. */
const personLogsByAge: ListOrder<PersonLogRow> = {
  direction: 'desc',
  columns: [personLogs.createdAt, personLogs.personLogId],
  keysOf: ({ createdAt, personLogId }) => [createdAt, personLogId],
  example: [0, ''],
};

export const logRoutes = ({ database, time }: House): Pick<Handlers, LogRoute> => ({
  listAccountLogs: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { accountId } = await getAccountRow(db, tenantId, params.account_id);
      const condition = and(
        eq(accountLogs.tenantId, tenantId),
        eq(accountLogs.accountId, accountId),
        withDeleted(query.includeDeleted) ? undefined : isNull(accountLogs.deletedAt),
      );
      return listPage(
        list,
        accountLogsByAge,
        ({ after, orderBy, fetch }) =>
          db.select().from(accountLogs).where(and(condition, after)).orderBy(orderBy).limit(fetch),
        () => db.$count(accountLogs, condition),
        (row) => presentAccountLog(row, time),
      );
    }),

  getAccountLog: ({ tenantId, params }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(accountLogs)
        .where(
          and(
            eq(accountLogs.tenantId, tenantId),
            eq(accountLogs.accountId, params.account_id),
            eq(accountLogs.accountLogId, params.account_log_id),
          ),
        )
        .get();
      if (!row) throw notFound('account log', 'account_log_id', params.account_log_id);
      return presentAccountLog(row, time);
    }),

  listPersonLogs: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { personId } = await getPersonRow(db, tenantId, params.person_id);
      const condition = and(
        eq(personLogs.tenantId, tenantId),
        eq(personLogs.personId, personId),
        withDeleted(query.includeDeleted) ? undefined : isNull(personLogs.deletedAt),
      );
      return listPage(
        list,
        personLogsByAge,
        ({ after, orderBy, fetch }) =>
          db.select().from(personLogs).where(and(condition, after)).orderBy(orderBy).limit(fetch),
        () => db.$count(personLogs, condition),
        (row) => presentPersonLog(row, time),
      );
    }),

  getPersonLog: ({ tenantId, params }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(personLogs)
        .where(
          and(
            eq(personLogs.tenantId, tenantId),
            eq(personLogs.personId, params.person_id),
            eq(personLogs.personLogId, params.person_log_id),
          ),
        )
        .get();
      if (!row) throw notFound('person log', 'person_log_id', params.person_log_id);
      return presentPersonLog(row, time);
    }),
});

/** Assumed: deleted logs are left out of lists unless asked for; a single read answers them. */
export const withDeleted = (flag: string | undefined): boolean => flag === 'true';

const presentAccountLog = (
  { tenantId: _, createdAt, updatedAt, deletedAt, ...row }: AccountLogRow,
  time: WriteTime,
): AccountLog => ({
  ...row,
  createdAt: time(createdAt),
  updatedAt: time(updatedAt),
  deletedAt: time(deletedAt),
});

const presentPersonLog = (
  { tenantId: _, createdAt, updatedAt, deletedAt, ...row }: PersonLogRow,
  time: WriteTime,
): PersonLog => ({
  ...row,
  createdAt: time(createdAt),
  updatedAt: time(updatedAt),
  deletedAt: time(deletedAt),
});
