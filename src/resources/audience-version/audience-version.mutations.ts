/** `publishAudienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { writeField } from '../../graph/mutation/mutation.ts';
import { OPERATION_KEY_LENGTH, PublishVersionBody } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { ofPage } from '../audience/audience.entity.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';
import { publishVersion } from './audience-version.source.ts';

const PublishAudienceVersionInput = builder.inputType('PublishAudienceVersionInput', {
  description: 'The version to publish.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the audience version.' }),
    operationKey: t.string({
      description: `Idempotency key of ${OPERATION_KEY_LENGTH.min} to ${OPERATION_KEY_LENGTH.max} characters: sending the same key again does not publish twice.`,
    }),
  }),
});

writeField({
  name: 'publishAudienceVersion',
  description:
    'Queues a version for publishing, which the backend does asynchronously: poll `status` until it is `published` or `cancelled`.',
  route: routes.publishVersion,
  answers: { field: 'audienceVersion', entity: audienceVersionEntity },
  input: PublishAudienceVersionInput,
  target: { field: 'id', entity: audienceVersionEntity },
  body: PublishVersionBody,
  send: async ({ rest }, key, body, call) =>
    ofPage(key.pageId, await publishVersion(rest, key, body, call)),
  tells: ['status', 'queuedAt', 'publishedAt', 'cancelledAt'],
});
