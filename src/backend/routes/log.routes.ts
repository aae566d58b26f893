/**
 * Logs of persons and accounts, and the activity feed of an account: its logs and, when asked, those of its persons, as
 * one union with one order. Source: interface.md, "Accounts", "Persons", "ActivityItem".
 *
 * Assumed: newest first, since the document shows no order.
 */
import { and, eq, getTableColumns, isNull, sql, type SQL } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { listPage } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';

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

  listActivity: async (call) => {
    const { db, list, present } = call;
    const accountId = call.params.account_id;
    const feed = await feedOf(call, accountId);
    return listPage(db, list, {
      select: db.select().from(feed),
      table: feed,
      direction: 'desc',
      order: ['createdAt', 'logId'],
      // Assumed: an activity is known by its log's id, and its type says whose log it is.
      present: (row) => {
        const { logId, ...rest } = present(row);
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
  includeDeleted: string | undefined,
): SQL | undefined => (includeDeleted === 'true' ? undefined : isNull(deletedAt));

const { tenantId: _t, accountId: _a, accountLogId, ...ofAccountLog } = getTableColumns(accountLogs);
const { tenantId: _p, personId, personLogId, ...ofPersonLog } = getTableColumns(personLogs);

async function feedOf({ db, tenantId, query }: HandlerCall<'listActivity'>, accountId: string) {
  const { domain } = await getRow(db, 'account', accounts, { tenantId, accountId });
  const { includeDeleted, includePersonActivity } = query ?? {};
  const own = db
    .select({
      logId: sql<string>`${accountLogId}`.as('log_id'),
      personId: sql<string | null>`null`.as('person_id'),
      personName: sql<string | null>`null`.as('person_name'),
      ...ofAccountLog,
    })
    .from(accountLogs)
    .where(
      and(equals(accountLogs, { tenantId, accountId }), unlessDeleted(accountLogs, includeDeleted)),
    );
  // Assumed: the persons' logs are omitted unless requested.
  if (includePersonActivity !== 'true') return own.as('feed');
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
        unlessDeleted(personLogs, includeDeleted),
      ),
    );
  return unionAll(own, ofEachPerson).as('feed');
}
