/**
 * Advances queued versions by one step per delay until they are published.
 *
 * The state is in the database; timers only start steps. After a crash the next process resumes unfinished versions.
 */
import { inArray } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { versions } from '../database/tables.ts';
import { failureOf, type Failure } from '../errors.ts';
import { advance } from './publishing.ts';

interface PublisherOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly delayMs: number;
  /** Called for each failed step, before its retry after the delay. */
  readonly onFailure: (failure: Failure) => void;
}

const RETRY_MS = 100;

export function createPublisher({ database, now, delayMs, onFailure }: PublisherOptions) {
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
      onFailure(failureOf('publishing', error));
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
