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
    'Queues a version for publishing. The backend publishes asynchronously: set `waitFor`, or subscribe to `audienceVersionProgress`.',
  route: routes.publishVersion,
  answers: { field: 'audienceVersion', entity: audienceVersionEntity },
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
      reportVersion(context, key, version);
      hurryPage(context, key);
      return waitFor && waitForVersion(context, key, version, waitFor, timeoutMs);
    },
  },
  readBack: ['status', 'queuedAt', 'publishedAt', 'cancelledAt'],
});
