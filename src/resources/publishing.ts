/**
 * `publishAudienceVersion`, which can wait for the outcome, and `audienceVersionProgress`. Assumed: a version never
 * returns to an earlier state, so a response with one is stale.
 */
import { z } from 'zod';
import type { Context } from '../graph/context.ts';
import { startFrom } from '../graph/entity/prefetching.ts';
import { requiring } from '../graph/entity/requirement.ts';
import { writeField } from '../graph/fields/mutation.ts';
import { builder } from '../graph/schema/builder.ts';
import { readTimestamp } from '../graph/types/scalars.ts';
import { orUndefined } from '../lib/or-undefined.ts';
import type { LiveObject, LiveSource } from '../live/pollers.ts';
import { routes } from '../v0/routes.ts';
import { AUDIENCE_STATUSES, type AudienceVersion } from '../v0/schemas/audience.ts';
import {
  audienceVersionEntity,
  findVersion,
  ofPage,
  rankOf,
  RANKS,
  type VersionKey,
  type VersionNode,
  type VersionStatus,
} from './audience-version.ts';
import { AudienceStatusRef } from './audience.ts';
import { hurryPage } from './page-progress.ts';

const isFinal = (version: VersionNode): boolean => rankOf(version) >= RANKS.published;

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
    return orUndefined(() => Date.parse(readTimestamp(times[status])));
  },
};

const liveVersion = (key: VersionKey): LiveObject<VersionKey, VersionNode> => ({
  source: versionSource,
  key,
  id: audienceVersionEntity.idOf(key),
});

/** Watches a version; ends after its final state. */
function watchVersion({ pollers, identity }: Context, key: VersionKey) {
  if (!pollers) throw new Error('The context has no pollers: nothing can be watched.');
  return pollers.watch(identity, liveVersion(key));
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
async function waitForVersion(
  context: Context,
  key: VersionKey,
  version: VersionNode,
  wanted: VersionStatus,
  timeoutMs: number,
): Promise<{ readonly object: VersionNode; readonly reached: boolean }> {
  let object = version;
  let rank = -Infinity;
  const apply = (state: VersionNode): void => {
    const stateRank = rankOf(state);
    // A state before the write may arrive first.
    if (stateRank < rank) return;
    object = state;
    if (stateRank > rank) rank = stateRank;
  };
  apply(version);
  const isOver = () => hasReached(object, wanted) || isFinal(object);
  if (isOver() || !isSound(version)) return { object, reached: hasReached(object, wanted) };
  const leftMs = context.rest.deadlineMs - performance.now() - RESERVE_MS;
  const watcher = watchVersion(context, key);
  const timer = setTimeout(() => void watcher.return(), Math.max(0, Math.min(timeoutMs, leftMs)));
  try {
    for await (const { state } of watcher) {
      if (state) apply(state);
      if (isOver()) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return { object, reached: hasReached(object, wanted) };
}

const isSound = (version: VersionNode): boolean => !((version as unknown) instanceof Error);

/** Default and maximum of `timeoutMs`, in milliseconds. */
const WAIT_MS = { default: 5_000, max: 60_000 };

const Wait = z.object({
  waitFor: z.enum(AUDIENCE_STATUSES).optional(),
  timeoutMs: z.int().min(0).max(WAIT_MS.max).default(WAIT_MS.default),
});

writeField({
  name: 'publishAudienceVersion',
  description:
    'Queues a version for publishing. The backend publishes asynchronously: set `waitFor`, or subscribe to `audienceVersionProgress`.',
  route: routes.publishVersion,
  returns: audienceVersionEntity,
  input: {
    description: 'The version to publish.',
    added: (t) => ({
      waitFor: t.field({
        type: AudienceStatusRef,
        description:
          'Status to wait for before responding, such as `published`. The wait ends early if the version can no longer reach it. If omitted, the mutation does not wait. During the wait the version is polled; to receive each change, subscribe to `audienceVersionProgress`.',
      }),
      timeoutMs: t.int({
        description: `Maximum wait for \`waitFor\` in milliseconds, from 0 to ${WAIT_MS.max}. The deadline of the request may end it sooner. Defaults to ${WAIT_MS.default}.`,
      }),
    }),
  },
  target: { field: 'id', entity: audienceVersionEntity },
  toObject: (version: AudienceVersion, { pageId }) => ofPage(pageId, version),
  followUp: {
    options: Wait,
    description:
      'Whether the status in `waitFor` was reached in time. `audienceVersion` is the version at the end of the wait. Null without `waitFor`.',
    wait: (context, key, version, { waitFor, timeoutMs }) => {
      const { pollers, identity } = context;
      if (isSound(version)) pollers?.find(identity, liveVersion(key))?.report(version);
      hurryPage(context, key);
      return waitFor && waitForVersion(context, key, version, waitFor, timeoutMs);
    },
  },
  readBack: ['status', 'queuedAt', 'publishedAt', 'cancelledAt'],
});

const AudienceVersionProgressRef = builder.objectRef<VersionNode>('AudienceVersionProgress');

builder.objectType(AudienceVersionProgressRef, {
  description: 'Event of `audienceVersionProgress`: the version after a change of its status.',
  fields: (t) => ({
    audienceVersion: t.field({
      type: audienceVersionEntity.ref,
      description: 'The version in its current state. No REST call.',
      resolve: (version, _args, context, info) => {
        audienceVersionEntity.prime(context, [version]);
        startFrom(audienceVersionEntity, version, context, info);
        return version;
      },
    }),
    isFinal: t.boolean({
      description:
        'Whether this is the last event: the version is published, cancelled or archived, and the subscription completes.',
      resolve: isFinal,
    }),
  }),
});

builder.subscriptionField('audienceVersionProgress', (t) =>
  t.field({
    type: AudienceVersionProgressRef,
    ...requiring(
      'Sends the version immediately and after each change of its status, and completes when it is published, cancelled or archived. Sends null and completes if the version does not exist. While the backend fails, events contain the last known version and the error. The version is polled once for all subscribers with the same API key.',
      { kind: 'watch', from: 'object', route: routes.getVersion },
    ),
    args: { id: t.arg.id({ required: true, description: 'Global ID of the audience version.' }) },
    subscribe: (_root, { id }, context) =>
      watchVersion(context, audienceVersionEntity.parseId(String(id))),
    resolve: ({ state, polls }, _args, { rest }) => {
      rest.callLog.polls = { route: routes.getVersion, count: polls };
      return state;
    },
  }),
);
