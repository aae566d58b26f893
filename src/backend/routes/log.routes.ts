/**
 * Logs of persons and accounts, newest first. Source: interface.md, "Accounts", "Persons".
 *
 * `activity.routes.ts` merges both into the feed of an account.
 */
import { and, isNull, type SQL } from 'drizzle-orm';
import { equals } from '../database/equals.ts';
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
          equals(accountLogs, { tenantId, accountId }),
          unlessDeleted(accountLogs, query.includeDeleted),
        ),
        // Assumed: newest first, since the document shows no order.
        order: orderOf(accountLogs, 'desc', 'createdAt', 'accountLogId'),
        present,
      });
    }),

  getAccountLog: ({ tenantId, params: { account_id: accountId, account_log_id: accountLogId } }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(accountLogs)
        .where(equals(accountLogs, { tenantId, accountId, accountLogId }))
        .get();
      if (!row) throw notFound('account log', 'account_log_id', accountLogId);
      return present(row);
    }),

  listPersonLogs: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { personId } = await getPersonRow(db, tenantId, params.person_id);
      return listTable(db, list, {
        table: personLogs,
        where: and(
          equals(personLogs, { tenantId, personId }),
          unlessDeleted(personLogs, query.includeDeleted),
        ),
        // Assumed: newest first, since the document shows no order.
        order: orderOf(personLogs, 'desc', 'createdAt', 'personLogId'),
        present,
      });
    }),

  getPersonLog: ({ tenantId, params: { person_id: personId, person_log_id: personLogId } }) =>
    database.read(async (db) => {
      const row = await db
        .select()
        .from(personLogs)
        .where(equals(personLogs, { tenantId, personId, personLogId }))
        .get();
      if (!row) throw notFound('person log', 'person_log_id', personLogId);
      return present(row);
    }),
});

/** Assumed: deleted logs are left out of lists unless asked for; a single read answers them. */
export const unlessDeleted = (
  { deletedAt }: typeof accountLogs | typeof personLogs,
  includeDeleted: string | undefined,
): SQL | undefined => (includeDeleted === 'true' ? undefined : isNull(deletedAt));
