/** Versions of an audience: listed, read, published. Source: interface.md, "Audiences and versions". */
import { equals, getRow } from '../database/rows.ts';
import { publishOperations, versions, type VersionRow } from '../database/tables.ts';
import { conflict } from '../errors.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { enqueue } from '../publishing.ts';
import { getFullAudience, requireCurrentPage } from './audience.routes.ts';
import { listPage } from './list.ts';
import { getPageRow } from './page.routes.ts';

export const versionRoutes = {
  listVersions: async (call) => {
    const { audienceId } = await getFullAudience(call);
    return listPage(call, {
      table: versions,
      where: equals(versions, { audienceId }),
      // Assumed: newest first; an optional route, see docs/assumptions.md.
      direction: 'desc',
      order: ['versionNumber'],
    });
  },

  getVersion: async (call) => call.present(await getVersionRow(call)),

  publishVersion: async (call) => {
    const { db, nowMs, present, publishLater } = call;
    const version = await getVersionRow(call);
    const { versionId, status } = version;
    if (await isRepeated(call, versionId)) return present(version);
    requireCurrentPage(await getPageRow(call));
    // Assumed: a pending version has not become a draft yet.
    if (status !== 'draft') {
      const message = `Version "${versionId}" is ${status}. Only drafts can be published`;
      throw conflict(message, 'version_id', `status is ${status}`);
    }
    await enqueue(db, version, nowMs);
    publishLater(versionId);
    return present(await getVersionRow(call));
  },
} satisfies Partial<Handlers>;

/** @throws {Problem} 404 when the tenant, the page or the audience has no such version. */
async function getVersionRow(
  call: Pick<HandlerCall<'getVersion'>, 'db' | 'tenantId' | 'params'>,
): Promise<VersionRow> {
  const { audienceId } = await getFullAudience(call);
  return getRow(call, 'version', versions, { audienceId, versionId: call.params.version_id });
}

/**
 * Whether the operation key was used for this version before; records it otherwise.
 *
 * Assumed: a key is permanently bound to one version, so a repeated request succeeds without publishing twice.
 *
 * @throws {Problem} 409 if the key is used for another version.
 */
async function isRepeated(
  { db, tenantId, body: { operationKey } }: HandlerCall<'publishVersion'>,
  versionId: string,
): Promise<boolean> {
  if (operationKey === undefined) return false;
  const own = equals(publishOperations, { tenantId, operationKey });
  const former = await db.select().from(publishOperations).where(own).get();
  if (!former) await db.insert(publishOperations).values({ tenantId, operationKey, versionId });
  if (!former || former.versionId === versionId) return former !== undefined;
  const message = `The operation key was already used for version "${former.versionId}". Send a new one`;
  throw conflict(message, 'operationKey', 'used for another version');
}
