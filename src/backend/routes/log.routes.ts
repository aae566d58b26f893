/**
 * Logs of persons and accounts, newest first. Source: interface.md, "Accounts", "Persons".
 *
 * `activity.routes.ts` merges both into the feed of an account.
 */
import { and, eq, isNull, type SQL } from 'drizzle-orm';
import { listTable, orderOf } from '../database/list.ts';
import { accountLogs, personLogs } from '../database/tables.ts';
import type { Handlers, Services } from '../http/handler.ts';
import { notFound } from '../http/problem.ts';
import { getAccountRow } from './account.routes.ts';
import { getPersonRow } from './person.routes.ts';

type LogRoute = 'getAccountLog' | 'getPersonLog' | 'listAccountLogs' | 'listPersonLogs';

export const logRoutes = ({ database, present }: Services): Pick<Handlers, LogRoute> => ({
  listAccountLogs: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { accountId } = await getAccountRow(db, tenantId, params.account_id);
      return listTable(db, list, {
        table: accountLogs,
        where: and(
          eq(accountLogs.tenantId, tenantId),
          eq(accountLogs.accountId, accountId),
          unlessDeleted(accountLogs, query.includeDeleted),
        ),
        // Assumed: newest first, since the document shows no order.
        order: orderOf(accountLogs, 'desc', 'createdAt', 'accountLogId'),
        present,
      });
    }),

  getAccountLog: ({ tenantId, params: { account_id, account_log_id } }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(accountLogs)
        .where(
          and(
            eq(accountLogs.tenantId, tenantId),
            eq(accountLogs.accountId, account_id),
            eq(accountLogs.accountLogId, account_log_id),
          ),
        )
        .get();
      if (!row) throw notFound('account log', 'account_log_id', account_log_id);
      return present(row);
    }),

  listPersonLogs: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { personId } = await getPersonRow(db, tenantId, params.person_id);
      return listTable(db, list, {
        table: personLogs,
        where: and(
          eq(personLogs.tenantId, tenantId),
          eq(personLogs.personId, personId),
          unlessDeleted(personLogs, query.includeDeleted),
        ),
        // Assumed: newest first, since the document shows no order.
        order: orderOf(personLogs, 'desc', 'createdAt', 'personLogId'),
        present,
      });
    }),

  getPersonLog: ({ tenantId, params: { person_id, person_log_id } }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(personLogs)
        .where(
          and(
            eq(personLogs.tenantId, tenantId),
            eq(personLogs.personId, person_id),
            eq(personLogs.personLogId, person_log_id),
          ),
        )
        .get();
      if (!row) throw notFound('person log', 'person_log_id', person_log_id);
      return present(row);
    }),
});

/** Assumed: deleted logs are left out of lists unless asked for; a single read answers them. */
export const unlessDeleted = (
  { deletedAt }: typeof accountLogs | typeof personLogs,
  includeDeleted: string | undefined,
): SQL | undefined => (includeDeleted === 'true' ? undefined : isNull(deletedAt));
