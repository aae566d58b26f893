/**
 * The states of a version, and what each step changes: draft → queued → processing → published.
 *
 * Every step is one statement guarded by the state it leaves, inside its caller's transaction: a step
 * that comes twice, or after the audience was archived, changes nothing. When the steps are taken
 * is `publisher.ts`'s business. Assumed: all transitions, since the document shows none.
 */
import { and, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Executor } from '../database/database.ts';
import { equals } from '../database/rows.ts';
import { audiences, pages, versions } from '../database/tables.ts';
import type { VersionRow } from '../database/tables.ts';

type Status = VersionRow['status'];

/** Assumed: only drafts are published; a pending version has not become a draft yet. */
export const canBePublished = ({ status }: VersionRow): boolean => status === 'draft';

export async function enqueue(db: Executor, version: VersionRow, nowMs: number): Promise<void> {
  const moved = await move(db, version, 'draft', { status: 'queued', queuedAt: nowMs });
  if (moved) await setAudience(db, version, { status: 'queued' });
}

/** Takes a version out of the queue. Assumed: the queue's duration ends here. */
export async function startProcessing(
  db: Executor,
  version: VersionRow,
  nowMs: number,
): Promise<void> {
  const queueDurationMs = Math.max(0, nowMs - (version.queuedAt ?? nowMs));
  const moved = await move(db, version, 'queued', { status: 'processing', queueDurationMs });
  if (moved) await setAudience(db, version, { status: 'processing' });
}

/**
 * Publishes a version and retires the one it follows.
 *
 * Assumed: the former published version is archived and obsolete from that moment on, and the
 * first audience to be published publishes its page.
 */
export async function finish(db: Executor, version: VersionRow, nowMs: number): Promise<void> {
  const { tenantId, audienceId, versionId } = version;
  const moved = await move(db, version, 'processing', { status: 'published', publishedAt: nowMs });
  if (!moved) return;
  await db
    .update(versions)
    .set({ status: 'archived', obsoleteAt: nowMs, archivedAt: nowMs })
    .where(
      and(
        equals(versions, { tenantId, audienceId, status: 'published' }),
        ne(versions.versionId, versionId),
      ),
    );
  await setAudience(db, version, { status: 'published', publishedVersionId: versionId });
  await db
    .update(pages)
    .set({ status: 'published', updatedAt: nowMs })
    .where(
      and(
        equals(pages, { tenantId, status: 'draft' }),
        sql`${pages.pageId} = (select page_id from audiences where audience_id = ${audienceId})`,
      ),
    );
}

/**
 * Ends an audience: what was on its way is cancelled, what was published is retired.
 *
 * Assumed: a page whose last published audience ends is a draft again.
 */
export async function archiveAudience(
  db: Executor,
  audience: { tenantId: string; audienceId: string; pageId: string },
  nowMs: number,
): Promise<void> {
  const { tenantId, audienceId, pageId } = audience;
  const unfinished: Status[] = ['draft', 'pending', 'processing', 'queued'];
  await db
    .update(versions)
    .set({ status: 'cancelled', cancelledAt: nowMs })
    .where(and(equals(versions, { tenantId, audienceId }), inArray(versions.status, unfinished)));
  await db
    .update(versions)
    .set({ status: 'archived', obsoleteAt: nowMs, archivedAt: nowMs })
    .where(equals(versions, { tenantId, audienceId, status: 'published' }));
  await db
    .update(audiences)
    .set({ status: 'archived', archivedAt: nowMs, publishedVersionId: null })
    .where(equals(audiences, { tenantId, audienceId }));
  if ((await unarchivedStatus(db, tenantId, pageId)) === 'draft') {
    await db
      .update(pages)
      .set({ status: 'draft', updatedAt: nowMs })
      .where(equals(pages, { tenantId, pageId, status: 'published' }));
  }
}

/** The status of a page that is not archived: published once an audience of it is. */
export async function unarchivedStatus(
  db: Executor,
  tenantId: string,
  pageId: string,
): Promise<'draft' | 'published'> {
  const published = await db
    .select({ audienceId: audiences.audienceId })
    .from(audiences)
    .where(and(equals(audiences, { tenantId, pageId }), isNotNull(audiences.publishedVersionId)))
    .limit(1)
    .get();
  return published ? 'published' : 'draft';
}

/** Answers whether the version was in the state it should leave. */
async function move(
  db: Executor,
  { tenantId, versionId }: VersionRow,
  from: Status,
  change: Partial<VersionRow>,
): Promise<boolean> {
  const { rowsAffected } = await db
    .update(versions)
    .set(change)
    .where(equals(versions, { tenantId, versionId, status: from }));
  return rowsAffected > 0;
}

/** Assumed: an audience is in the state of the version that moved last. */
async function setAudience(
  db: Executor,
  { tenantId, audienceId }: VersionRow,
  change: { status: Status; publishedVersionId?: string },
): Promise<void> {
  await db.update(audiences).set(change).where(equals(audiences, { tenantId, audienceId }));
}
