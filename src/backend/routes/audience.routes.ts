/**
 * Audiences of a page: created, listed, read, archived. Source: interface.md, "Audiences and versions".
 *
 * An audience travels with its latest and its published version; both come with the same query.
 */
import { and, eq } from 'drizzle-orm';
import type { Audience } from '../../v0/audience.ts';
import type { PageMetadata } from '../../v0/page-metadata.ts';
import { fullAudiences, getFullAudience, newAudience } from './audience.rows.ts';
import type { AudienceParams, FullAudienceRow } from './audience.rows.ts';
import type { Executor } from '../database/executor.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { getPageRow } from './page.routes.ts';
import { conflict } from '../http/problem.ts';
import { archiveAudience, enqueue } from '../publishing/publishing.ts';
import { audiences, versions } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';
import { presentVersion } from './version.present.ts';

type AudienceRoute = 'archiveAudience' | 'createAudience' | 'getAudience' | 'listAudiences';

/** Assumed: oldest first, since the document shows no order. */
const byAge: ListOrder<FullAudienceRow> = {
  direction: 'asc',
  columns: [audiences.createdAt, audiences.audienceId],
  keysOf: ({ audience }) => [audience.createdAt, audience.audienceId],
  example: [0, ''],
};

export const audienceRoutes = (house: House): Pick<Handlers, AudienceRoute> => {
  const { database, now, time, publishLater } = house;

  return {
    listAudiences: ({ tenantId, params, list }) =>
      database.read(async (db) => {
        const page = await getPageRow(db, tenantId, params.page_id);
        const ofPage = and(eq(audiences.tenantId, tenantId), eq(audiences.pageId, page.pageId));
        return listPage(
          list,
          byAge,
          ({ after, orderBy, fetch }) =>
            fullAudiences(db).where(and(ofPage, after)).orderBy(orderBy).limit(fetch),
          () => db.$count(audiences, ofPage),
          (row) => presentAudience(row, page.metadata, time),
        );
      }),

    getAudience: ({ tenantId, params }) =>
      database.read((db) => readAudience(db, tenantId, params, time)),

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
        const audience = await readAudience(db, tenantId, ids, time);
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
        return readAudience(db, tenantId, params, time);
      }),
  };
};

/** @throws {Problem} 409 when the page is archived or deleted. Assumed: such a page is left alone. */
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
  time: WriteTime,
): Promise<Audience> {
  const row = await getFullAudience(db, tenantId, params);
  const { metadata } = await getPageRow(db, tenantId, params.page_id);
  return presentAudience(row, metadata, time);
}

/** Assumed: the effective metadata is the page's, with the audience's own laid over it. */
function presentAudience(
  { audience, latest, published }: FullAudienceRow,
  pageMetadata: PageMetadata | null,
  time: WriteTime,
): Audience {
  const { tenantId: _, latestVersionId: _l, publishedVersionId: _p, ...row } = audience;
  const { metadataOverride, ...plain } = row;
  const effectiveMetadata = { ...pageMetadata, ...metadataOverride };
  return {
    ...plain,
    effectiveName: row.customName ?? row.computedName,
    archivedAt: time(row.archivedAt),
    createdAt: time(row.createdAt),
    latestVersion: latest && presentVersion(latest, time),
    publishedVersion: published && presentVersion(published, time),
    ...((pageMetadata || metadataOverride) && { effectiveMetadata }),
    ...(metadataOverride && { metadataOverride }),
  };
}
