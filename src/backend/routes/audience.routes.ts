/**
 * Audiences of a page: created, listed, read, archived. Source: interface.md, "Audiences and versions".
 *
 * An audience travels with its latest and its published version; both come with the same query.
 */
import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Audience, CreateAudienceBody } from '../../v0/schemas/audience.ts';
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';
import type { Executor } from '../database/database.ts';
import { listPage, type ListOrder } from '../database/list.ts';
import { newId } from '../database/new-row.ts';
import { equals } from '../database/rows.ts';
import {
  audiences,
  versions,
  type AudienceRow,
  type PageRow,
  type VersionRow,
} from '../database/tables.ts';
import { conflict, notFound } from '../errors/problem.ts';
import type { Handlers } from '../http/handler.ts';
import type { Present } from '../http/present.ts';
import { archiveAudience, enqueue } from '../publishing/publishing.ts';
import { getPageRow } from './page.routes.ts';

/** Assumed: oldest first, since the document shows no order. */
const byAge: ListOrder<FullAudienceRow> = {
  direction: 'asc',
  columns: [audiences.createdAt, audiences.audienceId],
  keysOf: ({ audience }) => [audience.createdAt, audience.audienceId],
};

export const audienceRoutes = {
  listAudiences: async ({ db, tenantId, params, list, present }) => {
    const { pageId, metadata } = await getPageRow(db, tenantId, params.page_id);
    return listPage(db, list, {
      select: fullAudiences(db),
      table: audiences,
      where: equals(audiences, { tenantId, pageId }),
      order: byAge,
      present: (row) => presentAudience(row, metadata, present),
    });
  },

  getAudience: ({ db, tenantId, params, present }) => readAudience(db, tenantId, params, present),

  createAudience: async ({ db, tenantId, params, body, nowMs, present, publishLater }) => {
    const page = await getPageRow(db, tenantId, params.page_id);
    refuseWithoutPage(page);
    const { version, audienceId } = await insertAudience(db, page, body, nowMs);
    if (body.publishBehavior === 'publish') {
      await enqueue(db, version, nowMs);
      publishLater(version.versionId);
    }
    return readAudience(db, tenantId, { ...params, audience_id: audienceId }, present);
  },

  archiveAudience: async ({ db, tenantId, params, nowMs, present }) => {
    const { audience } = await getFullAudience(db, tenantId, params);
    // Assumed: an audience is archived once.
    if (audience.archivedAt !== null) {
      throw conflict(`Audience "${audience.audienceId}" is archived already`, {
        field: 'audience_id',
        reason: 'already archived',
      });
    }
    await archiveAudience(db, audience, nowMs);
    return readAudience(db, tenantId, params, present);
  },
} satisfies Partial<Handlers>;

/** @throws {Problem} 409 when the page is archived or deleted. Assumed: such a page cannot be changed. */
export function refuseWithoutPage({ pageId, archivedAt, deletedAt }: PageRow): void {
  if (archivedAt === null && deletedAt === null) return;
  throw conflict(`Page "${pageId}" is archived or deleted: restore it first`, {
    field: 'page_id',
    reason: 'archived or deleted',
  });
}

async function readAudience(
  db: Executor,
  tenantId: string,
  params: AudienceParams,
  present: Present,
): Promise<Audience> {
  const row = await getFullAudience(db, tenantId, params);
  const { metadata } = await getPageRow(db, tenantId, params.page_id);
  return presentAudience(row, metadata, present);
}

/** Assumed: the effective metadata is the page's, with the audience's own laid over it. */
function presentAudience(
  { audience, latest, published }: FullAudienceRow,
  pageMetadata: PageMetadata | null,
  present: Present,
): Audience {
  const {
    latestVersionId: _,
    publishedVersionId: _p,
    metadataOverride,
    ...row
  } = present(audience);
  const effectiveMetadata = { ...pageMetadata, ...metadataOverride };
  return {
    ...row,
    effectiveName: row.customName ?? row.computedName,
    latestVersion: latest && present(latest),
    publishedVersion: published && present(published),
    ...((pageMetadata || metadataOverride) && { effectiveMetadata }),
    ...(metadataOverride && { metadataOverride }),
  };
}

/** An audience with its versions, as one query answers it. */
interface FullAudienceRow {
  readonly audience: AudienceRow;
  readonly latest: VersionRow | null;
  readonly published: VersionRow | null;
}

const latest = alias(versions, 'latest');
const published = alias(versions, 'published');

type AudienceParams = Readonly<Record<'page_id' | 'audience_id', string>>;

/** @throws {Problem} 404 when the tenant has no such page, or the page no such audience. */
export async function getFullAudience(
  db: Executor,
  tenantId: string,
  { page_id, audience_id }: AudienceParams,
): Promise<FullAudienceRow> {
  const row = await fullAudiences(db)
    .where(equals(audiences, { tenantId, pageId: page_id, audienceId: audience_id }))
    .get();
  if (!row) throw notFound('audience', audience_id);
  return row;
}

const fullAudiences = (db: Executor) =>
  db
    .select({ audience: audiences, latest, published })
    .from(audiences)
    .leftJoin(latest, eq(latest.versionId, audiences.latestVersionId))
    .leftJoin(published, eq(published.versionId, audiences.publishedVersionId));

/** Assumed: a new audience has no person, and is named after its page and its position there. */
async function insertAudience(
  db: Executor,
  { tenantId, pageId, name, audiencesCount }: PageRow & { readonly audiencesCount: number },
  { publishBehavior: _, ...given }: CreateAudienceBody,
  nowMs: number,
) {
  const audienceId = newId('audience');
  const version = await db
    .insert(versions)
    .values({
      versionId: newId('version'),
      tenantId,
      audienceId,
      versionNumber: 1,
      status: 'draft',
      isNewPageAgent: false,
      supplementaryContext: given.supplementaryContext,
      createdAt: nowMs,
      becameDraftAt: nowMs,
    })
    .returning()
    .get();
  await db.insert(audiences).values({
    ...given,
    audienceId,
    tenantId,
    pageId,
    computedName: `${name}, audience ${audiencesCount + 1}`,
    isNewPageAgent: false,
    status: 'draft',
    latestVersionId: version.versionId,
    createdAt: nowMs,
  });
  return { audienceId, version };
}
