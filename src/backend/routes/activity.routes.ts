/**
 * The activity feed of an account: its own logs and, when asked, those of its persons, as one union with one order.
 * Source: interface.md, "ActivityItem".
 */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { listPage } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { unlessDeleted } from './log.routes.ts';

export const activityRoutes = {
  listActivity: async (call) => {
    const { db, list, present } = call;
    const accountId = call.params.account_id;
    const feed = await feedOf(call, accountId);
    return listPage(db, list, {
      select: db.select().from(feed),
      table: feed,
      // Assumed: newest first, since the document shows no order.
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
  // Assumed: the persons' logs are left out unless asked for.
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
