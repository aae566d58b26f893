/**
 * Logs of persons and accounts, newest first. Source: interface.md, "Accounts", "Persons".
 *
 * Assumed: the order, since the document shows none.
 */
import { and, isNull, type SQL } from 'drizzle-orm';
import { listPage } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';

export const logRoutes = {
  listAccountLogs: async ({ db, tenantId, params, query, list, present }) => {
    const ofAccount = { tenantId, accountId: params.account_id };
    await getRow(db, 'account', accounts, ofAccount);
    return listPage(db, list, {
      select: db.select().from(accountLogs),
      table: accountLogs,
      where: and(equals(accountLogs, ofAccount), unlessDeleted(accountLogs, query.includeDeleted)),
      direction: 'desc',
      order: ['createdAt', 'accountLogId'],
      present,
    });
  },

  getAccountLog: async ({ db, tenantId, params, present }) => {
    const { account_id: accountId, account_log_id: accountLogId } = params;
    const values = { tenantId, accountId, accountLogId };
    return present(await getRow(db, 'account log', accountLogs, values));
  },

  listPersonLogs: async ({ db, tenantId, params, query, list, present }) => {
    const ofPerson = { tenantId, personId: params.person_id };
    await getRow(db, 'person', persons, ofPerson);
    return listPage(db, list, {
      select: db.select().from(personLogs),
      table: personLogs,
      where: and(equals(personLogs, ofPerson), unlessDeleted(personLogs, query.includeDeleted)),
      direction: 'desc',
      order: ['createdAt', 'personLogId'],
      present,
    });
  },

  getPersonLog: async ({ db, tenantId, params, present }) => {
    const { person_id: personId, person_log_id: personLogId } = params;
    const values = { tenantId, personId, personLogId };
    return present(await getRow(db, 'person log', personLogs, values));
  },
} satisfies Partial<Handlers>;

/** Assumed: deleted logs are left out of lists unless asked for; a single read answers them. */
export const unlessDeleted = (
  { deletedAt }: typeof accountLogs | typeof personLogs,
  includeDeleted: string | undefined,
): SQL | undefined => (includeDeleted === 'true' ? undefined : isNull(deletedAt));
