/**
 * Accounts: listed, searched, and read with their persons. Source: interface.md, "Accounts".
 *
 * A person belongs to the account with exactly the same domain. Counts are computed at each read.
 */
import { and, asc, eq, getTableColumns, or, sql, type SQL } from 'drizzle-orm';
import { correlated, equals, getRow } from '../database/rows.ts';
import { contains } from '../database/search.ts';
import { accountLogs, accounts, personLogs, persons } from '../database/tables.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';

const linked = and(eq(persons.tenantId, accounts.tenantId), eq(persons.domain, accounts.domain));

const linkedPersonsCount = correlated<number>(
  sql`(select count(*) from ${persons} where ${linked})`,
);

/**
 * Newest log of the account or of its persons. Assumed: a deleted log is no activity.
 *
 * A cross join keeps SQLite from starting at the logs: it would read all of them for each account.
 */
const latestActivityAt = correlated<number | null>(sql`(select max(moment) from (
  select max(${accountLogs.createdAt}) as moment from ${accountLogs}
  where ${accountLogs.tenantId} = ${accounts.tenantId}
    and ${accountLogs.accountId} = ${accounts.accountId} and ${accountLogs.deletedAt} is null
  union all
  select max(${personLogs.createdAt}) from ${persons} cross join ${personLogs}
  where ${linked} and ${personLogs.tenantId} = ${persons.tenantId}
    and ${personLogs.personId} = ${persons.personId} and ${personLogs.deletedAt} is null))`);

const selection = { ...getTableColumns(accounts), linkedPersonsCount, latestActivityAt };

export const accountRoutes = {
  listAccounts: (call) => listWhere(call, emptyOnly(call.query.includeEmptyOnly)),

  searchAccounts: (call) =>
    listWhere(call, and(emptyOnly(call.query.includeEmptyOnly), matches(call.query.query))),

  getAccount: async (call) => {
    const { db, tenantId, params, present } = call;
    const own = { accountId: params.account_id };
    const select = db.select(selection).from(accounts);
    const row = await getRow(call, 'account', accounts, own, select);
    const linkedPersons = await db
      .select()
      .from(persons)
      .where(equals(persons, { tenantId, domain: row.domain }))
      .orderBy(asc(persons.createdAt), asc(persons.personId));
    const { linkedPersonsCount: _, ...account } = present(row);
    return { ...account, linkedPersons: linkedPersons.map(present) };
  },
} satisfies Partial<Handlers>;

const listWhere = (call: HandlerCall, where: SQL | undefined) =>
  listPage(call, {
    select: call.db.select(selection).from(accounts),
    table: accounts,
    where,
    // Assumed: oldest first, since the API spec shows no order.
    order: ['createdAt', 'accountId'],
  });

/** Assumed: `includeEmptyOnly` leaves the accounts that no person belongs to. */
const emptyOnly = (flag: string | undefined): SQL | undefined =>
  flag === 'true' ? sql`not exists (select 1 from ${persons} where ${linked})` : undefined;

/** Assumed: a search finds a part of the name or the domain, in either case of letters. */
function matches(text: string | undefined): SQL | undefined {
  const wanted = text?.trim();
  if (!wanted) return undefined;
  return or(contains(accounts.domain, wanted), contains(accounts.name, wanted));
}
