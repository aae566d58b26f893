/**
 * `publishAudienceVersion`.
 *
 * Callers without streams can wait for the outcome. The write is sent once in any case.
 */
import { z } from 'zod';
import { writeField } from '../../graph/fields/mutation.ts';
import { AUDIENCE_STATUSES, type AudienceVersion } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { AudienceStatusRef } from '../audience/audience.type.ts';
import { reportVersion, waitForVersion } from './audience-version.live.ts';
import { hurryPage } from './page-progress.live.ts';
import { audienceVersionEntity, ofPage } from './audience-version.type.ts';

/** Default and maximum of `timeoutMs`, in milliseconds. */
const WAIT_MS = { default: 5_000, max: 60_000 };

const Wait = z.object({
  waitFor: z.enum(AUDIENCE_STATUSES).optional(),
  timeoutMs: z.int().min(0).max(WAIT_MS.max).default(WAIT_MS.default),
});

writeField({
  name: 'publishAudienceVersion',
  description:
    'Queues a version for publishing, which the backend does asynchronously: give `waitFor`, or subscribe to `audienceVersionProgress`.',
  route: routes.publishVersion,
  answers: { field: 'audienceVersion', entity: audienceVersionEntity },
  input: {
    description: 'The version to publish.',
    added: (t) => ({
      waitFor: t.field({
        type: AudienceStatusRef,
        description:
          'Status to wait for before answering, such as `published`. The wait ends early when the version can no longer reach it. No wait when absent. While it waits, the version is polled; the subscription `audienceVersionProgress` sends each change instead.',
      }),
      timeoutMs: t.int({
        description: `Longest wait for \`waitFor\` in milliseconds, from 0 to ${WAIT_MS.max}, cut to what the deadline of the request leaves. Defaults to ${WAIT_MS.default}.`,
      }),
    }),
  },
  target: { field: 'id', entity: audienceVersionEntity },
  toObject: (version: AudienceVersion, { pageId }) => ofPage(pageId, version),
  followUp: {
    options: Wait,
    description:
      'Whether the status given as `waitFor` was reached in time. `audienceVersion` is as it was at the end of the wait. Null without `waitFor`.',
    wait: (context, key, version, { waitFor, timeoutMs }) => {
      reportVersion(context, key, version);
      hurryPage(context, key);
      return waitFor && waitForVersion(context, key, version, waitFor, timeoutMs);
    },
  },
  readBack: ['status', 'queuedAt', 'publishedAt', 'cancelledAt'],
});
