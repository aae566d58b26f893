/**
 * The order of a version's states, and the watching of versions.
 *
 * Assumed: a version never returns to an earlier state, so a response with one is stale.
 */
import type { Context } from '../../graph/context.ts';
import type { LiveObject, LiveSource } from '../../live/live-object.ts';
import { readTimestamp } from '../../graph/types/scalars.ts';
import type { AUDIENCE_STATUSES } from '../../v0/schemas/audience.ts';
import {
  audienceVersionEntity,
  findVersion,
  type VersionKey,
  type VersionNode,
} from './audience-version.type.ts';

type VersionStatus = (typeof AUDIENCE_STATUSES)[number];

const RANKS: Readonly<Record<VersionStatus, number>> = {
  pending: 0,
  draft: 1,
  queued: 2,
  processing: 3,
  published: 4,
  cancelled: 4,
  archived: 5,
};

const FIRST_FINAL_RANK = RANKS.published;

/** `NaN` for an invalid or unknown status, which has no order: it is neither before nor after any other. */
export const rankOf = ({ status }: Pick<VersionNode, 'status'>): number => RANKS[status] ?? NaN;

export const isFinal = (version: VersionNode): boolean => rankOf(version) >= FIRST_FINAL_RANK;

/**
 * Whether a version is or was in a state: `published` also for one archived since.
 *
 * A cancelled version has reached `cancelled` only.
 */
function hasReached(version: VersionNode, wanted: VersionStatus): boolean {
  const { status, publishedAt } = version;
  if (status === wanted) return true;
  if (status === 'cancelled') return false;
  if (status === 'archived') return wanted !== 'cancelled' && publishedAt !== null;
  return rankOf(version) > RANKS[wanted];
}

const versionSource: LiveSource<VersionKey, VersionNode> = {
  read: findVersion,
  rankOf,
  isFinal,
  changedAt: ({ status, queuedAt, publishedAt, cancelledAt, archivedAt }) => {
    const times: Partial<Record<VersionStatus, unknown>> = {
      queued: queuedAt,
      published: publishedAt,
      cancelled: cancelledAt,
      archived: archivedAt,
    };
    try {
      return Date.parse(readTimestamp(times[status]));
    } catch {
      return undefined;
    }
  },
};

const liveVersion = (key: VersionKey): LiveObject<VersionKey, VersionNode> => ({
  source: versionSource,
  key,
  id: audienceVersionEntity.idOf(key),
});

/** Watches a version; ends after its final state. */
export function watchVersion({ pollers, identity }: Context, key: VersionKey) {
  if (!pollers) throw new Error('The context has no pollers: nothing can be watched.');
  return pollers.watch(identity, liveVersion(key));
}

/** Publishes a version's state after a write to watchers with the same key. */
export function reportVersion(
  { pollers, identity }: Context,
  key: VersionKey,
  version: VersionNode,
): void {
  if (isSound(version)) pollers?.report(identity, liveVersion(key), version);
}

/** Time reserved for the selection of the version after the wait, in milliseconds. */
const RESERVE_MS = 500;

/**
 * Waits until a version has reached a state, can no longer reach it, or the time is over.
 *
 * Failures of the backend are ignored during the wait. An unknown status ends no wait, and is an error at its field if
 * it is the last.
 *
 * @param version the version after the write.
 */
export async function waitForVersion(
  context: Context,
  key: VersionKey,
  version: VersionNode,
  wanted: VersionStatus,
  timeoutMs: number,
): Promise<{ readonly object: VersionNode; readonly reached: boolean }> {
  let object = version;
  let rank = -Infinity;
  const take = (state: VersionNode): void => {
    const its = rankOf(state);
    // A state before the write may arrive first.
    if (its < rank) return;
    object = state;
    if (its > rank) rank = its;
  };
  take(version);
  const isOver = () => hasReached(object, wanted) || isFinal(object);
  if (isOver() || !isSound(version)) return { object, reached: hasReached(object, wanted) };
  const leftMs = context.rest.deadlineMs - performance.now() - RESERVE_MS;
  const watcher = watchVersion(context, key);
  const timer = setTimeout(() => void watcher.return(), Math.max(0, Math.min(timeoutMs, leftMs)));
  try {
    for await (const { state } of watcher) {
      if (state) take(state);
      if (isOver()) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return { object, reached: hasReached(object, wanted) };
}

/** False for an invalid version. */
const isSound = (version: VersionNode): boolean => !((version as unknown) instanceof Error);
