/**
 * The activity feed of an account: its own logs and, when asked, those of its persons.
 *
 * Both kinds are one list for the cursor, so the feed is read as one union with one order.
 * Source: interface.md, "ActivityItem".
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type { ActivityItem } from '../../v0/log.ts';
import { getAccountRow } from './account.routes.ts';
import type { Executor } from '../database/executor.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { withDeleted } from './log.routes.ts';
import { accountLogs, personLogs, persons } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

interface ActivityRow {
  readonly logId: string;
  readonly personId: string | null;
  readonly personName: string | null;
  readonly source: string;
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly idempotencyKey: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly deletedAt: number | null;
}

/** Assumed: newest first, since the document shows no order. */
const byAge: ListOrder<ActivityRow> = {
  direction: 'desc',
  columns: [sql`created_at`, sql`log_id`],
  keysOf: ({ createdAt, logId }) => [createdAt, logId],
  example: [0, ''],
};

export const activityRoutes = ({ database, time }: House): Pick<Handlers, 'listActivity'> => ({
  listActivity: ({ tenantId, params, query, list }) =>
    database.read(async (db) => {
      const { accountId, domain } = await getAccountRow(db, tenantId, params.account_id);
      const feed = feedOf(db, {
        tenantId,
        accountId,
        domain,
        deleted: withDeleted(query.includeDeleted),
        // Assumed: the persons' logs are left out unless asked for.
        ofPersons: query.includePersonActivity === 'true',
      });
      return listPage(
        list,
        byAge,
        ({ after, orderBy, fetch }) =>
          db.select().from(feed).where(after).orderBy(orderBy).limit(fetch),
        () => db.$count(feed),
        (row) => presentActivity(row, accountId, time),
      );
    }),
});

interface Feed {
  readonly tenantId: string;
  readonly accountId: string;
  readonly domain: string;
  readonly deleted: boolean;
  readonly ofPersons: boolean;
}

function feedOf(db: Executor, { tenantId, accountId, domain, deleted, ofPersons }: Feed) {
  const own = db
    .select({
      logId: sql<string>`${accountLogs.accountLogId}`.as('log_id'),
      personId: sql<string | null>`null`.as('person_id'),
      personName: sql<string | null>`null`.as('person_name'),
      ...contentOf(accountLogs),
    })
    .from(accountLogs)
    .where(
      and(
        eq(accountLogs.tenantId, tenantId),
        eq(accountLogs.accountId, accountId),
        deleted ? undefined : isNull(accountLogs.deletedAt),
      ),
    );
  if (!ofPersons) return own.as('feed');
  const ofEachPerson = db
    .select({
      logId: sql<string>`${personLogs.personLogId}`.as('log_id'),
      personId: sql<string | null>`${personLogs.personId}`.as('person_id'),
      personName: sql<string | null>`${persons.name}`.as('person_name'),
      ...contentOf(personLogs),
    })
    .from(persons)
    // A cross join keeps SQLite from starting at the logs, which are many more.
    .crossJoin(personLogs)
    .where(
      and(
        eq(persons.tenantId, tenantId),
        eq(persons.domain, domain),
        eq(personLogs.tenantId, persons.tenantId),
        eq(personLogs.personId, persons.personId),
        deleted ? undefined : isNull(personLogs.deletedAt),
      ),
    );
  return unionAll(own, ofEachPerson).as('feed');
}

const contentOf = ({
  source,
  type,
  payload,
  idempotencyKey,
  createdAt,
  updatedAt,
  deletedAt,
}: typeof accountLogs | typeof personLogs) => ({
  source,
  type,
  payload,
  idempotencyKey,
  createdAt,
  updatedAt,
  deletedAt,
});

/** Assumed: an activity is known by its log's id, and its type says whose log it is. */
const presentActivity = (
  { logId, createdAt, updatedAt, deletedAt, ...row }: ActivityRow,
  accountId: string,
  time: WriteTime,
): ActivityItem => ({
  activityId: `activity_${logId}`,
  activityType: row.personId === null ? 'account-log' : 'person-log',
  accountId,
  accountLogId: row.personId === null ? logId : null,
  personLogId: row.personId === null ? null : logId,
  ...row,
  createdAt: time(createdAt),
  updatedAt: time(updatedAt),
  deletedAt: time(deletedAt),
});
