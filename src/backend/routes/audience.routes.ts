/**
 * Audiences of a page: created, listed, read, archived. Source: interface.md, "Audiences and versions".
 *
 * An audience travels with its latest and its published version; both come with the same query.
 */
import { eq, getTableColumns } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Audience } from '../../v0/schemas/audience.ts';
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';
import type { Queries } from '../database/database.ts';
import { equals, getRow, newId } from '../database/rows.ts';
import {
  audiences,
  versions,
  type AudienceRow,
  type PageRow,
  type VersionRow,
} from '../database/tables.ts';
import { conflict } from '../errors.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { archiveAudience, enqueue } from '../publishing.ts';
import { listPage } from './list.ts';
import { getPageRow } from './page.routes.ts';

export const audienceRoutes = {
  listAudiences: async (call) => {
    const { pageId, metadata } = await getPageRow(call);
    return listPage(call, {
      select: fullAudiences(call.db),
      table: audiences,
      where: equals(audiences, { pageId }),
      // Assumed: oldest first, since the API spec shows no order.
      order: ['createdAt', 'audienceId'],
      present: (row) => presentAudience(row, metadata, call.present),
    });
  },

  getAudience: (call) => readAudience(call),

  createAudience: async (call) => {
    const { db, tenantId, params, body, nowMs, publishLater } = call;
    const page = await getPageRow(call);
    requireCurrentPage(page);
    const { publishBehavior, ...given } = body;
    const audienceId = newId('audience');
    const common = { tenantId, audienceId, status: 'draft', isNewPageAgent: false } as const;
    const version = await db
      .insert(versions)
      .values({
        ...common,
        versionId: newId('version'),
        versionNumber: 1,
        supplementaryContext: given.supplementaryContext,
        createdAt: nowMs,
        becameDraftAt: nowMs,
      })
      .returning()
      .get();
    await db.insert(audiences).values({
      ...given,
      ...common,
      pageId: page.pageId,
      // Assumed: a new audience has no person, and is named after its page and its position there.
      computedName: `${page.name}, audience ${page.audiencesCount + 1}`,
      latestVersionId: version.versionId,
      createdAt: nowMs,
    });
    if (publishBehavior === 'publish') {
      await enqueue(db, version, nowMs);
      publishLater(version.versionId);
    }
    return readAudience({ ...call, params: { ...params, audience_id: audienceId } });
  },

  archiveAudience: async (call) => {
    const audience = await getFullAudience(call);
    // Assumed: an audience is archived once.
    if (audience.archivedAt !== null) {
      const message = `Audience "${audience.audienceId}" is already archived`;
      throw conflict(message, 'audience_id', 'already archived');
    }
    await archiveAudience(call.db, audience, call.nowMs);
    return readAudience(call);
  },
} satisfies Partial<Handlers>;

/** @throws {Problem} 409 when the page is archived or deleted. Assumed: such a page cannot be changed. */
export function requireCurrentPage({ pageId, archivedAt, deletedAt }: PageRow): void {
  if (archivedAt === null && deletedAt === null) return;
  const message = `Page "${pageId}" is archived or deleted. Restore it first`;
  throw conflict(message, 'page_id', 'archived or deleted');
}

type FullAudienceRow = AudienceRow & {
  readonly latest: VersionRow | null;
  readonly published: VersionRow | null;
};

type AudienceCall = Pick<HandlerCall<'getAudience'>, 'db' | 'tenantId' | 'params'>;

async function readAudience(call: AudienceCall & Pick<HandlerCall, 'present'>): Promise<Audience> {
  const row = await getFullAudience(call);
  const { metadata } = await getPageRow(call);
  return presentAudience(row, metadata, call.present);
}

/** Assumed: the effective metadata is the page's, with the audience's own laid over it. */
function presentAudience(
  { latest, published, ...audience }: FullAudienceRow,
  pageMetadata: PageMetadata | null,
  present: HandlerCall['present'],
): Audience {
  const {
    latestVersionId: _,
    publishedVersionId: _p,
    metadataOverride,
    ...row
  } = present(audience);
  return {
    ...row,
    effectiveName: row.customName ?? row.computedName,
    latestVersion: latest && present(latest),
    publishedVersion: published && present(published),
    ...((pageMetadata || metadataOverride) && {
      effectiveMetadata: { ...pageMetadata, ...metadataOverride },
    }),
    ...(metadataOverride && { metadataOverride }),
  };
}

/** @throws {Problem} 404 when the tenant has no such page, or the page no such audience. */
export function getFullAudience(call: AudienceCall): Promise<FullAudienceRow> {
  const { page_id: pageId, audience_id: audienceId } = call.params;
  return getRow(call, 'audience', audiences, { pageId, audienceId }, fullAudiences(call.db));
}

const latest = alias(versions, 'latest');
const published = alias(versions, 'published');

const fullAudiences = (db: Queries) =>
  db
    .select({ ...getTableColumns(audiences), latest, published })
    .from(audiences)
    .leftJoin(latest, eq(latest.versionId, audiences.latestVersionId))
    .leftJoin(published, eq(published.versionId, audiences.publishedVersionId));
