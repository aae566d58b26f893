/**
 * Logs of persons and accounts, and the activity feed of an account: its logs and, when asked, those of its persons, as
 * one union with one order. Source: interface.md, "Accounts", "Persons", "ActivityItem".
 *
 * Assumed: newest first, since the document shows no order.
 */
import { and, eq, getTableColumns, isNull, sql, type SQL } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { equals, getRow } from '../database/rows.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';

export const logRoutes = {
  listAccountLogs: async (call) => {
    const ofAccount = { accountId: call.params.account_id };
    await getRow(call, 'account', accounts, ofAccount);
    return listPage(call, {
      table: accountLogs,
      where: and(equals(accountLogs, ofAccount), unlessDeleted(accountLogs, call.query)),
      direction: 'desc',
      order: ['createdAt', 'accountLogId'],
    });
  },

  getAccountLog: async (call) => {
    const { account_id: accountId, account_log_id: accountLogId } = call.params;
    return call.present(
      await getRow(call, 'account log', accountLogs, { accountId, accountLogId }),
    );
  },

  listPersonLogs: async (call) => {
    const ofPerson = { personId: call.params.person_id };
    await getRow(call, 'person', persons, ofPerson);
    return listPage(call, {
      table: personLogs,
      where: and(equals(personLogs, ofPerson), unlessDeleted(personLogs, call.query)),
      direction: 'desc',
      order: ['createdAt', 'personLogId'],
    });
  },

  getPersonLog: async (call) => {
    const { person_id: personId, person_log_id: personLogId } = call.params;
    return call.present(await getRow(call, 'person log', personLogs, { personId, personLogId }));
  },

  listActivity: async (call) => {
    const accountId = call.params.account_id;
    const feed = await feedOf(call, accountId);
    return listPage(call, {
      select: call.db.select().from(feed),
      table: feed,
      direction: 'desc',
      order: ['createdAt', 'logId'],
      // Assumed: an activity is known by its log's id, and its type says whose log it is.
      present: (row) => {
        const { logId, ...rest } = call.present(row);
        const ofAccount = row.personId === null;
        return {
          activityId: `activity_${logId}`,
          activityType: ofAccount ? 'account-log' : 'person-log',
          accountId,
          accountLogId: ofAccount ? logId : null,
          personLogId: ofAccount ? null : logId,
          ...rest,
        };
      },
    });
  },
} satisfies Partial<Handlers>;

/** Assumed: lists omit deleted logs unless requested; a read by id returns them. */
const unlessDeleted = (
  { deletedAt }: typeof accountLogs | typeof personLogs,
  query: { readonly includeDeleted?: string | undefined },
): SQL | undefined => (query.includeDeleted === 'true' ? undefined : isNull(deletedAt));

const { accountId: _, accountLogId, ...ofAccountLog } = getTableColumns(accountLogs);
const { personId, personLogId, ...ofPersonLog } = getTableColumns(personLogs);

async function feedOf(call: HandlerCall<'listActivity'>, accountId: string) {
  const { db, tenantId, query } = call;
  const { domain } = await getRow(call, 'account', accounts, { accountId });
  const own = db
    .select({
      logId: sql<string>`${accountLogId}`.as('log_id'),
      personId: sql<string | null>`null`.as('person_id'),
      personName: sql<string | null>`null`.as('person_name'),
      ...ofAccountLog,
    })
    .from(accountLogs)
    .where(and(equals(accountLogs, { tenantId, accountId }), unlessDeleted(accountLogs, query)));
  // Assumed: the persons' logs are omitted unless requested.
  if (query.includePersonActivity !== 'true') return own.as('feed');
  const ofEachPerson = db
    .select({
      logId: sql<string>`${personLogId}`.as('log_id'),
      personId: sql<string | null>`${personId}`.as('person_id'),
      personName: sql<string | null>`${persons.name}`.as('person_name'),
      ...ofPersonLog,
    })
    .from(persons)
    // A cross join keeps SQLite from starting at the logs, which are many more.
    .crossJoin(personLogs)
    .where(
      and(
        equals(persons, { tenantId, domain }),
        eq(personLogs.tenantId, persons.tenantId),
        eq(personLogs.personId, persons.personId),
        unlessDeleted(personLogs, query),
      ),
    );
  return unionAll(own, ofEachPerson).as('feed');
}
