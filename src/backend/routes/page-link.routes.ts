/** Page links: listed by path. Source: interface.md, "Page links". */
import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { Queries } from '../database/database.ts';
import { equals } from '../database/rows.ts';
import { audiences, pageLinks, tenantDomains } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';

export const pageLinkRoutes = {
  listPageLinks: (call) => {
    const { db, tenantId, query } = call;
    return listPage(call, {
      table: pageLinks,
      where: and(
        // Assumed: without a domain, the links of the fallback subdomain and of no other.
        // Equal to one domain, the index has the links in order; of several they would be sorted.
        eq(pageLinks.tenantDomainId, query.tenantDomainId ?? fallbackDomain(db, tenantId)),
        query.path === undefined ? undefined : eq(pageLinks.path, query.path),
        query.pageId === undefined
          ? undefined
          : inArray(pageLinks.audienceId, audiencesOf(db, tenantId, query.pageId)),
        isNull(pageLinks.deletedAt),
      ),
      // Assumed: by path, since the API spec shows no order.
      order: ['path', 'pageLinkId'],
      present: (row) => {
        const { targetType, audienceId, ...link } = call.present(row);
        return { ...link, target: { targetType, audienceId } };
      },
    });
  },
} satisfies Partial<Handlers>;

const fallbackDomain = (db: Queries, tenantId: string): SQL =>
  sql`${db
    .select({ tenantDomainId: tenantDomains.tenantDomainId })
    .from(tenantDomains)
    .where(equals(tenantDomains, { tenantId, isFallback: true }))
    .limit(1)}`;

const audiencesOf = (db: Queries, tenantId: string, pageId: string) =>
  db
    .select({ audienceId: audiences.audienceId })
    .from(audiences)
    .where(equals(audiences, { tenantId, pageId }));
