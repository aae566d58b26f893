/**
 * The activity feed of an account: its own logs and, when asked, those of its persons.
 *
 * Both kinds are one list for the cursor, so the feed is read as one union with one order.
 * Source: interface.md, "ActivityItem".
 */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type { ActivityItem } from '../../v0/schemas/log.ts';
import type { Executor } from '../database/database.ts';
import { listPage, type ListOrder } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import {
  accountLogs,
  accounts,
  personLogs,
  persons,
  type AccountLogRow,
  type AccountRow,
} from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';
import type { Present } from '../http/present.ts';
import { unlessDeleted } from './log.routes.ts';

interface ActivityRow extends Omit<AccountLogRow, 'accountId' | 'accountLogId' | 'tenantId'> {
  readonly logId: string;
  readonly personId: string | null;
  readonly personName: string | null;
}

/** Assumed: newest first, since the document shows no order. */
const byAge: ListOrder<ActivityRow> = {
  direction: 'desc',
  columns: [sql`created_at`, sql`log_id`],
  types: ['number', 'string'],
  keysOf: ({ createdAt, logId }) => [createdAt, logId],
};

export const activityRoutes = {
  listActivity: async ({
    db,
    tenantId,
    params: { account_id: accountId },
    query,
    list,
    present,
  }) => {
    const account = await getRow(db, 'account', accounts, { tenantId, accountId });
    const feed = feedOf(db, account, query);
    return listPage(db, list, {
      select: db.select().from(feed),
      table: feed,
      order: byAge,
      present: (row) => presentActivity(row, accountId, present),
    });
  },
} satisfies Partial<Handlers>;

type FeedQuery = Partial<Record<'includeDeleted' | 'includePersonActivity', string | undefined>>;

function feedOf(
  db: Executor,
  { tenantId, accountId, domain }: AccountRow,
  { includeDeleted, includePersonActivity }: FeedQuery,
) {
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

const { tenantId: _t, accountId: _a, accountLogId, ...ofAccountLog } = getTableColumns(accountLogs);
const { tenantId: _p, personId, personLogId, ...ofPersonLog } = getTableColumns(personLogs);

/** Assumed: an activity is known by its log's id, and its type says whose log it is. */
function presentActivity(row: ActivityRow, accountId: string, present: Present): ActivityItem {
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
}
