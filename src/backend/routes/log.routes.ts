/**
 * Logs of persons and accounts, newest first. Source: interface.md, "Accounts", "Persons".
 *
 * `activity.routes.ts` merges both into the feed of an account. Assumed: the order, since the document
 * shows none.
 */
import { and, isNull, type SQL } from 'drizzle-orm';
import { listTable, orderOf } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import { handlersOf } from '../http/handler.ts';

export const logRoutes = handlersOf(({ database, present }) => ({
  listAccountLogs: ({ tenantId, params: { account_id: accountId }, query, list }) =>
    database.read(async (db) => {
      await getRow(db, 'account', accounts, { tenantId, accountId });
      const isShown = unlessDeleted(accountLogs, query.includeDeleted);
      return listTable(db, list, {
        table: accountLogs,
        where: and(equals(accountLogs, { tenantId, accountId }), isShown),
        order: orderOf(accountLogs, 'desc', 'createdAt', 'accountLogId'),
        present,
      });
    }),

  getAccountLog: ({ tenantId, params: { account_id: accountId, account_log_id: accountLogId } }) =>
    database.read(async (db) => {
      const values = { tenantId, accountId, accountLogId };
      return present(await getRow(db, 'account log', accountLogs, values));
    }),

  listPersonLogs: ({ tenantId, params: { person_id: personId }, query, list }) =>
    database.read(async (db) => {
      await getRow(db, 'person', persons, { tenantId, personId });
      const isShown = unlessDeleted(personLogs, query.includeDeleted);
      return listTable(db, list, {
        table: personLogs,
        where: and(equals(personLogs, { tenantId, personId }), isShown),
        order: orderOf(personLogs, 'desc', 'createdAt', 'personLogId'),
        present,
      });
    }),

  getPersonLog: ({ tenantId, params: { person_id: personId, person_log_id: personLogId } }) =>
    database.read(async (db) => {
      const values = { tenantId, personId, personLogId };
      return present(await getRow(db, 'person log', personLogs, values));
    }),
}));

/** Assumed: deleted logs are left out of lists unless asked for; a single read answers them. */
export const unlessDeleted = (
  { deletedAt }: typeof accountLogs | typeof personLogs,
  includeDeleted: string | undefined,
): SQL | undefined => (includeDeleted === 'true' ? undefined : isNull(deletedAt));
