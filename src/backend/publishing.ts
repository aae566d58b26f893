/**
 * The state machine of versions, draft → queued → processing → published, and the publisher that advances it.
 *
 * Every step checks the state that it leaves in its caller's transaction, so repeated steps, and steps after the
 * archiving of the audience, have no effect. Assumed: all transitions, since the API spec shows none.
 */
import { and, inArray, isNotNull, ne, sql, type SQL } from 'drizzle-orm';
import type { Database, Queries } from './database/database.ts';
import { equals, now } from './database/rows.ts';
import {
  audiences,
  pages,
  versions,
  type AudienceRow,
  type VersionRow,
} from './database/tables.ts';
import { failureOf, type Failure } from './errors.ts';

type Status = VersionRow['status'];

export const enqueue = (db: Queries, version: VersionRow, nowMs: number): Promise<boolean> =>
  move(db, version, 'draft', { status: 'queued', queuedAt: nowMs });

/** Advances a version by one step. Returns whether another step follows. */
async function advance(db: Queries, versionId: string, nowMs: number): Promise<boolean> {
  const version = await db.select().from(versions).where(equals(versions, { versionId })).get();
  if (version?.status === 'processing') await finish(db, version, nowMs);
  if (version?.status !== 'queued') return false;
  // Assumed: the queue's duration ends here.
  const queueDurationMs = Math.max(0, nowMs - (version.queuedAt ?? nowMs));
  return move(db, version, 'queued', { status: 'processing', queueDurationMs });
}

/**
 * Publishes a version and archives its predecessor.
 *
 * Assumed: the former published version is archived and obsolete from that moment on, and the
 * first audience to be published publishes its page.
 */
async function finish(db: Queries, version: VersionRow, nowMs: number): Promise<void> {
  const { tenantId, audienceId, versionId } = version;
  const change = { status: 'published', publishedAt: nowMs } as const;
  const others = ne(versions.versionId, versionId);
  if (!(await move(db, version, 'processing', change))) return;
  await retire(db, version, nowMs, others);
  const own = equals(audiences, { tenantId, audienceId });
  await db.update(audiences).set({ publishedVersionId: versionId }).where(own);
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
 * Archives an audience: pending versions are cancelled, published ones archived.
 *
 * Assumed: a page whose last published audience ends is a draft again.
 */
export async function archiveAudience(
  db: Queries,
  audience: AudienceRow,
  nowMs: number,
): Promise<void> {
  const { tenantId, audienceId, pageId } = audience;
  const unfinished: Status[] = ['draft', 'pending', 'processing', 'queued'];
  await db
    .update(versions)
    .set({ status: 'cancelled', cancelledAt: nowMs })
    .where(and(equals(versions, { tenantId, audienceId }), inArray(versions.status, unfinished)));
  await retire(db, audience, nowMs);
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

const retire = (
  db: Queries,
  { tenantId, audienceId }: Pick<VersionRow, 'tenantId' | 'audienceId'>,
  nowMs: number,
  which?: SQL,
) =>
  db
    .update(versions)
    .set({ status: 'archived', obsoleteAt: nowMs, archivedAt: nowMs })
    .where(and(equals(versions, { tenantId, audienceId, status: 'published' }), which));

/** The status of a page that is not archived: published once an audience of it is. */
export async function unarchivedStatus(db: Queries, tenantId: string, pageId: string) {
  const own = and(equals(audiences, { tenantId, pageId }), isNotNull(audiences.publishedVersionId));
  return (await db.$count(audiences, own)) > 0 ? 'published' : 'draft';
}

/**
 * Changes the state of a version and of its audience. Assumed: an audience has the state of the version changed last.
 *
 * @returns whether the version was in the expected state.
 */
async function move(
  db: Queries,
  { tenantId, audienceId, versionId }: VersionRow,
  from: Status,
  change: Partial<VersionRow> & Pick<VersionRow, 'status'>,
): Promise<boolean> {
  const { rowsAffected } = await db
    .update(versions)
    .set(change)
    .where(equals(versions, { tenantId, versionId, status: from }));
  if (rowsAffected === 0) return false;
  const own = equals(audiences, { tenantId, audienceId });
  await db.update(audiences).set({ status: change.status }).where(own);
  return true;
}

const RETRY_MS = 100;

/**
 * Advances queued versions by one step per delay until they are published.
 *
 * The state is in the database; timers only start steps. After a crash the next process resumes unfinished versions.
 *
 * @param onFailure called for each failed step, before its retry after the delay.
 */
export function createPublisher(
  database: Database,
  delayMs: number,
  onFailure: ((failure: Failure) => void) | undefined,
) {
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;

  const later = (versionId: string, waitMs = delayMs): void => {
    if (closed || timers.has(versionId)) return;
    timers.set(
      versionId,
      setTimeout(() => void takeStep(versionId), waitMs),
    );
  };

  const takeStep = async (versionId: string): Promise<void> => {
    timers.delete(versionId);
    try {
      if (await database.write((db) => advance(db, versionId, now()))) later(versionId);
    } catch (error) {
      onFailure?.(failureOf('publishing', error));
      later(versionId, Math.max(delayMs, RETRY_MS));
    }
  };

  return {
    later: (versionId: string): void => later(versionId),
    /** Resumes unfinished versions of an earlier process. */
    resume: async (): Promise<void> => {
      const unfinished = await database.read((db) =>
        db
          .select({ versionId: versions.versionId })
          .from(versions)
          .where(inArray(versions.status, ['queued', 'processing']))
          .orderBy(versions.queuedAt),
      );
      for (const { versionId } of unfinished) later(versionId);
    },
    /** Stops the timers. The database finishes running steps before it closes. */
    close: (): void => {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
