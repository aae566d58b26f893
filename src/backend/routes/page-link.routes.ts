/** Page links: listed by path. Source: interface.md, "Page links". */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PageLink } from '../../v0/page-link.ts';
import type { Executor } from '../database/executor.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { audiences, pageLinks, tenantDomains } from '../database/tables.ts';
import type { PageLinkRow } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

/** Assumed: by path, since the document shows no order. */
const byPath: ListOrder<PageLinkRow> = {
  direction: 'asc',
  columns: [pageLinks.path, pageLinks.pageLinkId],
  keysOf: ({ path, pageLinkId }) => [path, pageLinkId],
  example: ['', ''],
};

export const pageLinkRoutes = ({ database, time }: House): Pick<Handlers, 'listPageLinks'> => ({
  listPageLinks: ({ tenantId, query, list }) =>
    database.read((db) => {
      const condition = and(
        eq(pageLinks.tenantId, tenantId),
        // Assumed: without a domain, the links of the fallback subdomain and of no other.
        // Equal to one domain, the index has the links in order; of several they would be sorted.
        eq(pageLinks.tenantDomainId, query.tenantDomainId ?? fallbackDomain(db, tenantId)),
        query.path === undefined ? undefined : eq(pageLinks.path, query.path),
        query.pageId === undefined
          ? undefined
          : inArray(pageLinks.audienceId, audiencesOf(db, tenantId, query.pageId)),
        isNull(pageLinks.deletedAt),
      );
      return listPage(
        list,
        byPath,
        ({ after, orderBy, fetch }) =>
          db.select().from(pageLinks).where(and(condition, after)).orderBy(orderBy).limit(fetch),
        () => db.$count(pageLinks, condition),
        (row) => presentPageLink(row, time),
      );
    }),
});

const fallbackDomain = (db: Executor, tenantId: string): SQL =>
  sql`${db
    .select({ tenantDomainId: tenantDomains.tenantDomainId })
    .from(tenantDomains)
    .where(and(eq(tenantDomains.tenantId, tenantId), eq(tenantDomains.isFallback, true)))
    .limit(1)}`;

const audiencesOf = (db: Executor, tenantId: string, pageId: string) =>
  db
    .select({ audienceId: audiences.audienceId })
    .from(audiences)
    .where(and(eq(audiences.tenantId, tenantId), eq(audiences.pageId, pageId)));

const presentPageLink = (
  { tenantId: _, targetType, audienceId, ...row }: PageLinkRow,
  time: WriteTime,
): PageLink => ({
  pageLinkId: row.pageLinkId,
  tenantDomainId: row.tenantDomainId,
  path: row.path,
  target: { targetType, audienceId },
  createdAt: time(row.createdAt),
  updatedAt: time(row.updatedAt),
  deletedAt: time(row.deletedAt),
});
