/**
 * Audiences of a page: created, listed, read, archived. Source: interface.md, "Audiences and versions".
 *
 * An audience travels with its latest and its published version; both come with the same query.
 */
import { and, eq, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Audience, CreateAudienceBody } from '../../v0/audience.ts';
import type { PageMetadata } from '../../v0/page-metadata.ts';
import type { Executor } from '../database/database.ts';
import { equals } from '../database/equals.ts';
import { listPage, type ListOrder } from '../database/list.ts';
import { packed } from '../database/packed.ts';
import { audiences, versions, type AudienceRow, type VersionRow } from '../database/tables.ts';
import type { Handlers, Services } from '../http/handler.ts';
import { conflict, notFound } from '../http/problem.ts';
import { newId } from '../new-row.ts';
import type { Present } from '../present.ts';
import { archiveAudience, enqueue } from '../publishing/publishing.ts';
import { getPageRow } from './page.routes.ts';

type AudienceRoute = 'archiveAudience' | 'createAudience' | 'getAudience' | 'listAudiences';

/** Assumed: oldest first, since the document shows no order. */
const byAge: ListOrder<FullAudienceRow> = {
  direction: 'asc',
  columns: [audiences.createdAt, audiences.audienceId],
  types: ['number', 'string'],
  keysOf: ({ audience }) => [audience.createdAt, audience.audienceId],
};

export const audienceRoutes = ({
  database,
  now,
  present,
  publishLater,
}: Services): Pick<Handlers, AudienceRoute> => ({
  listAudiences: ({ tenantId, params, list }) =>
    database.read(async (db) => {
      const page = await getPageRow(db, tenantId, params.page_id);
      const ofPage = equals(audiences, { tenantId, pageId: page.pageId });
      return listPage(list, {
        order: byAge,
        rows: ({ after, orderBy, fetch }) =>
          fullAudiences(db).where(and(ofPage, after)).orderBy(orderBy).limit(fetch),
        total: () => db.$count(audiences, ofPage),
        present: (row) => presentAudience(row, page.metadata, present),
      });
    }),

  getAudience: ({ tenantId, params }) =>
    database.read((db) => readAudience(db, tenantId, params, present)),

  createAudience: async ({ tenantId, params, body }) => {
    const { audience, queued } = await database.write(async (db) => {
      const page = await getPageRow(db, tenantId, params.page_id);
      refuseWithoutPage(page);
      const { row, version } = newAudience(tenantId, page, body, now());
      await db.insert(audiences).values(row);
      await db.insert(versions).values(version);
      const queued = body.publishBehavior === 'publish';
      if (queued) await enqueue(db, version, now());
      const ids = { page_id: page.pageId, audience_id: row.audienceId };
      const audience = await readAudience(db, tenantId, ids, present);
      return { audience, queued: queued ? version.versionId : undefined };
    });
    if (queued !== undefined) publishLater(queued);
    return audience;
  },

  archiveAudience: ({ tenantId, params }) =>
    database.write(async (db) => {
      const { audience } = await getFullAudience(db, tenantId, params);
      // Assumed: an audience is archived once.
      if (audience.archivedAt !== null) {
        throw conflict(`Audience "${audience.audienceId}" is archived already`, {
          field: 'audience_id',
          reason: 'already archived',
        });
      }
      await archiveAudience(db, audience, now());
      return readAudience(db, tenantId, params, present);
    }),
});

/** @throws {Problem} 409 when the page is archived or deleted. Assumed: such a page cannot be changed. */
export function refuseWithoutPage(page: {
  pageId: string;
  archivedAt: number | null;
  deletedAt: number | null;
}): void {
  if (page.archivedAt === null && page.deletedAt === null) return;
  throw conflict(`Page "${page.pageId}" is archived or deleted: restore it first`, {
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

const selection = {
  // The table that is selected from always has a row.
  audience: packed(audiences) as SQL<AudienceRow>,
  latest: packed(latest),
  published: packed(published),
};

interface AudienceParams {
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
    .where(equals(audiences, { tenantId, pageId: page_id, audienceId: audience_id }))
    .get();
  if (!row) throw notFound('audience', 'audience_id', audience_id);
  return row;
}

const fullAudiences = (db: Executor) =>
  db
    .select(selection)
    .from(audiences)
    .leftJoin(latest, eq(latest.versionId, audiences.latestVersionId))
    .leftJoin(published, eq(published.versionId, audiences.publishedVersionId));

/** Assumed: a new audience has no person, and is named after its page and its position there. */
function newAudience(
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
