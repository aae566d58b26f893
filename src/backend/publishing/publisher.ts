/**
 * Advances queued versions by one step per delay until they are published.
 *
 * The state is in the database; timers only start steps. After a crash the next process resumes unfinished versions.
 */
import { inArray } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { equals } from '../database/rows.ts';
import { versions } from '../database/tables.ts';
import { failureOf, type Failure } from '../errors/failure.ts';
import { finish, startProcessing } from './publishing.ts';

interface PublisherOptions {
  readonly database: Database;
  readonly now: () => number;
  /** Duration of each state of publishing, in milliseconds. */
  readonly delayMs: number;
  /** Called for each failed step, before its retry after the delay. */
  readonly onFailure: (failure: Failure) => void;
}

/** Minimum delay of a retry, in milliseconds. */
const RETRY_MS = 100;

export function createPublisher({ database, now, delayMs, onFailure }: PublisherOptions) {
  const timers = new Map<string, NodeJS.Timeout>();
  const steps = new Set<Promise<void>>();
  let closed = false;

  const later = (versionId: string, waitMs = delayMs): void => {
    if (closed || timers.has(versionId)) return;
    const onTime = () => {
      timers.delete(versionId);
      const step = advance(versionId).finally(() => steps.delete(step));
      steps.add(step);
    };
    timers.set(versionId, setTimeout(onTime, waitMs));
  };

  const advance = async (versionId: string): Promise<void> => {
    try {
      if (await takeStep(database, versionId, now())) later(versionId);
    } catch (error) {
      onFailure(failureOf('publishing', error));
      later(versionId, Math.max(delayMs, RETRY_MS));
    }
  };

  return {
    /** Schedules the next step of a version. */
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
    /** Stops the timers and waits for running steps. */
    close: async (): Promise<void> => {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(steps);
    },
  };
}

/** Advances a version by one step. Returns whether another step follows. */
const takeStep = (database: Database, versionId: string, nowMs: number): Promise<boolean> =>
  database.write(async (db) => {
    const version = await db.select().from(versions).where(equals(versions, { versionId })).get();
    if (version?.status === 'queued') {
      await startProcessing(db, version, nowMs);
      return true;
    }
    if (version?.status === 'processing') await finish(db, version, nowMs);
    return false;
  });
