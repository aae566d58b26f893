/** Versions of an audience: listed, read, published. Source: interface.md, "Audiences and versions". */
import { and, eq } from 'drizzle-orm';
import type { Executor } from '../database/database.ts';
import { listPage, orderOf } from '../database/list.ts';
import { equals } from '../database/rows.ts';
import { audiences, publishOperations, versions, type VersionRow } from '../database/tables.ts';
import { conflict, notFound } from '../errors/problem.ts';
import type { Handlers } from '../http/handler.ts';
import { canBePublished, enqueue } from '../publishing/publishing.ts';
import { getFullAudience, refuseWithoutPage } from './audience.routes.ts';
import { getPageRow } from './page.routes.ts';

export const versionRoutes = {
  listVersions: async ({ db, tenantId, params, list, present }) => {
    const { audienceId } = (await getFullAudience(db, tenantId, params)).audience;
    return listPage(db, list, {
      select: db.select().from(versions),
      table: versions,
      where: equals(versions, { tenantId, audienceId }),
      // Assumed: newest first; an extended route, see docs/assumptions.md.
      order: orderOf(versions, 'desc', 'versionNumber'),
      present,
    });
  },

  getVersion: async ({ db, tenantId, params, present }) =>
    present(await getVersionRow(db, tenantId, params)),

  publishVersion: async ({ db, tenantId, params, body, nowMs, present, publishLater }) => {
    const version = await getVersionRow(db, tenantId, params);
    const { versionId, status } = version;
    if (body.operationKey !== undefined) {
      const repeated = await claimOperation(db, tenantId, body.operationKey, versionId);
      if (repeated) return present(version);
    }
    refuseWithoutPage(await getPageRow(db, tenantId, params.page_id));
    if (!canBePublished(version)) {
      throw conflict(`Version "${versionId}" is ${status}; only a draft can be published`, {
        field: 'version_id',
        reason: `status is ${status}`,
      });
    }
    await enqueue(db, version, nowMs);
    publishLater(versionId);
    return present(await getVersionRow(db, tenantId, params));
  },
} satisfies Partial<Handlers>;

type VersionParams = Readonly<Record<'page_id' | 'audience_id' | 'version_id', string>>;

/** @throws {Problem} 404 when the tenant, the page or the audience has no such version. */
async function getVersionRow(
  db: Executor,
  tenantId: string,
  { page_id, audience_id, version_id }: VersionParams,
): Promise<VersionRow> {
  const row = await db
    .select({ version: versions })
    .from(versions)
    .innerJoin(audiences, eq(audiences.audienceId, versions.audienceId))
    .where(
      and(
        equals(versions, { tenantId, audienceId: audience_id, versionId: version_id }),
        equals(audiences, { pageId: page_id }),
      ),
    )
    .get();
  if (!row) throw notFound('version', version_id);
  return row.version;
}

/**
 * Remembers what an operation key stands for; answers whether it stood for this version before.
 *
 * Assumed: a key names one publishing of one version, for good, so a repeated request is answered
 * and never published twice.
 *
 * @throws {Problem} 409 when the key stands for another version.
 */
async function claimOperation(
  db: Executor,
  tenantId: string,
  operationKey: string,
  versionId: string,
): Promise<boolean> {
  const former = await db
    .select()
    .from(publishOperations)
    .where(equals(publishOperations, { tenantId, operationKey }))
    .get();
  if (!former) {
    await db.insert(publishOperations).values({ tenantId, operationKey, versionId });
    return false;
  }
  if (former.versionId === versionId) return true;
  throw conflict(`The operation key was used for version "${former.versionId}": send a new one`, {
    field: 'operationKey',
    reason: 'used for another version',
  });
}
