/** Pages: created, read, searched, restored. Source: interface.md, "Pages". */
import { and, getTableColumns, isNull, or, sql, type SQL } from 'drizzle-orm';
import { DEFAULT_LIMIT } from '../../v0/list.ts';
import type { Page } from '../../v0/schemas/page.ts';
import { correlated, equals, getRow, newId } from '../database/rows.ts';
import { contains, isText, startsWith, wordsOf } from '../database/search.ts';
import { audiences, pages, type PageRow } from '../database/tables.ts';
import { conflict } from '../errors.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { unarchivedStatus } from '../publishing.ts';

/** Assumed: archived audiences count, as they stay in the page's list of audiences. */
const audiencesCount = correlated<number>(sql`(select count(*) from ${audiences}
  where ${audiences.tenantId} = ${pages.tenantId} and ${audiences.pageId} = ${pages.pageId})`);

type CountedPageRow = PageRow & { audiencesCount: number };

export const pageRoutes = {
  createPage: async ({ db, tenantId, body, nowMs, present }) => {
    const actions = body.actions.map((action, actionIndex) => {
      return { ...action, actionId: action.actionId ?? newId('action'), actionIndex };
    });
    const row = await db
      .insert(pages)
      .values({
        ...body,
        pageId: newId('page'),
        tenantId,
        // Assumed: a new page is a draft, and has the title of its metadata, or else its name.
        title: body.metadata?.title ?? body.name,
        status: 'draft',
        actions,
        footerLinks: body.footerLinks ?? [],
        createdAt: nowMs,
        updatedAt: nowMs,
      })
      .returning()
      .get();
    return presentPage({ ...row, audiencesCount: 0 }, present);
  },

  getPage: async (call) => presentPage(await getPageRow(call), call.present),

  searchPages: async ({ db, tenantId, query: { query = '', limit = DEFAULT_LIMIT } }) => {
    const { pageId, name, pageType } = pages;
    const items = await db
      .select({ pageId, name, pageType, audiencesCount })
      .from(pages)
      // Assumed: the search finds pages that are neither archived nor deleted.
      .where(
        and(
          equals(pages, { tenantId }),
          isNull(pages.archivedAt),
          isNull(pages.deletedAt),
          ...wordsOf(query).map(somewhere),
        ),
      )
      .orderBy(relevance(query.trim()), pages.name, pages.pageId)
      .limit(limit);
    return { items };
  },

  restorePage: async (call) => {
    const { db, tenantId, nowMs } = call;
    const { pageId, archivedAt, deletedAt } = await getPageRow(call);
    // Assumed: only what was archived or deleted can be restored.
    if (archivedAt === null && deletedAt === null) {
      const message = `Page "${pageId}" is neither archived nor deleted`;
      throw conflict(message, 'page_id', 'nothing to restore');
    }
    const status = await unarchivedStatus(db, tenantId, pageId);
    await db
      .update(pages)
      .set({ archivedAt: null, deletedAt: null, status, updatedAt: nowMs })
      .where(equals(pages, { tenantId, pageId }));
    return presentPage(await getPageRow(call), call.present);
  },
} satisfies Partial<Handlers>;

/** @throws {Problem} 404 when the tenant has no such page. */
export function getPageRow(
  call: Pick<HandlerCall<'getPage'>, 'db' | 'tenantId' | 'params'>,
): Promise<CountedPageRow> {
  const select = call.db.select({ ...getTableColumns(pages), audiencesCount }).from(pages);
  return getRow(call, 'page', pages, { pageId: call.params.page_id }, select);
}

/** Optional fields that the page does not have are omitted, since the API spec has no null there. */
function presentPage(row: CountedPageRow, present: HandlerCall['present']): Page {
  const { headerActionId, metadata, ...page } = present(row);
  return {
    ...page,
    ...(headerActionId !== null && { headerActionId }),
    ...(metadata !== null && { metadata }),
  };
}

const somewhere = (word: string): SQL | undefined =>
  or(contains(pages.name, word), contains(pages.title, word), contains(pages.pageContext, word));

/** The smaller, the better: the name itself, its beginning, a part of it, the title, the rest. */
const relevance = (text: string): SQL => sql`case
  when ${isText(pages.name, text)} then 0
  when ${startsWith(pages.name, text)} then 1
  when ${contains(pages.name, text)} then 2
  when ${contains(pages.title, text)} then 3
  else 4 end`;
