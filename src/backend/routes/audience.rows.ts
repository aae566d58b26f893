/** Audiences as the database has them: read with both versions, and made. */
import { and, eq } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { CreateAudienceBody } from '../../v0/audience.ts';
import type { Executor } from '../database/executor.ts';
import { newId } from '../new-id.ts';
import { packed } from '../database/packed.ts';
import { notFound } from '../http/problem.ts';
import { audiences, versions } from '../database/tables.ts';
import type { AudienceRow, VersionRow } from '../database/tables.ts';

/** An audience with its versions, as one query answers it. */
export interface FullAudienceRow {
  readonly audience: AudienceRow;
  readonly latest: VersionRow | null;
  readonly published: VersionRow | null;
}

const latest = alias(versions, 'latest');
const published = alias(versions, 'published');

const selection = {
  // The table that is selected from always has a row.
  audience: packed(audiences) as SQL<AudienceRow>,
  latest: packed(latest),
  published: packed(published),
};

export interface AudienceParams {
  readonly page_id: string;
  readonly audience_id: string;
}

/** @throws {Problem} 404 when the tenant has no such page, or the page no such audience. */
export async function getFullAudience(
  db: Executor,
  tenantId: string,
  { page_id, audience_id }: AudienceParams,
): Promise<FullAudienceRow> {
  const row = await fullAudiences(db)
    .where(
      and(
        eq(audiences.tenantId, tenantId),
        eq(audiences.pageId, page_id),
        eq(audiences.audienceId, audience_id),
      ),
    )
    .get();
  if (!row) throw notFound('audience', 'audience_id', audience_id);
  return row;
}

export const fullAudiences = (db: Executor) =>
  db
    .select(selection)
    .from(audiences)
    .leftJoin(latest, eq(latest.versionId, audiences.latestVersionId))
    .leftJoin(published, eq(published.versionId, audiences.publishedVersionId));

/** Assumed: an audience made here is nobody's, and is named after its page and its place there. */
export function newAudience(
  tenantId: string,
  page: { pageId: string; name: string; audiencesCount: number },
  body: CreateAudienceBody,
  nowMs: number,
): { row: AudienceRow; version: VersionRow } {
  const audienceId = newId('audience');
  const supplementaryContext = body.supplementaryContext ?? null;
  const version: VersionRow = {
    versionId: newId('version'),
    tenantId,
    audienceId,
    versionNumber: 1,
    status: 'draft',
    isNewPageAgent: false,
    supplementaryContext,
    queueDurationMs: null,
    createdAt: nowMs,
    becameDraftAt: nowMs,
    queuedAt: null,
    publishedAt: null,
    cancelledAt: null,
    obsoleteAt: null,
    archivedAt: null,
  };
  const row: AudienceRow = {
    audienceId,
    tenantId,
    pageId: page.pageId,
    computedName: `${page.name}, audience ${page.audiencesCount + 1}`,
    customName: body.customName ?? null,
    isNewPageAgent: false,
    personId: null,
    personRouteKey: null,
    status: 'draft',
    supplementaryContext,
    actionFormIdOverride: body.actionFormIdOverride ?? null,
    actionFormInstructionsOverride: body.actionFormInstructionsOverride ?? null,
    actionUrlOverride: body.actionUrlOverride ?? null,
    metadataOverride: body.metadataOverride ?? null,
    latestVersionId: version.versionId,
    publishedVersionId: null,
    archivedAt: null,
    createdAt: nowMs,
  };
  return { row, version };
}
