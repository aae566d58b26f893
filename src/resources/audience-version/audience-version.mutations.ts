/** `publishAudienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { checkBody, writeField } from '../../graph/mutation/mutation.ts';
import { OPERATION_KEY_LENGTH, PublishVersionBody } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { ofPage } from '../audience/audience.entity.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';
import { publishVersion } from './audience-version.source.ts';

const PublishAudienceVersionInput = builder.inputType('PublishAudienceVersionInput', {
  description: 'The version to publish.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the version.' }),
    operationKey: t.string({
      description: `Names this publishing, ${OPERATION_KEY_LENGTH.min} to ${OPERATION_KEY_LENGTH.max} characters: the same key again does not publish twice.`,
    }),
  }),
});

writeField({
  name: 'publishAudienceVersion',
  description:
    'Publishes a version. The backend queues it: read `status` again to see it become published.',
  route: routes.publishVersion,
  answers: { field: 'audienceVersion', entity: audienceVersionEntity },
  input: PublishAudienceVersionInput,
  prepare: ({ id, ...input }) => {
    const key = audienceVersionEntity.parseId(String(id));
    const body = checkBody(PublishVersionBody, input);
    return async ({ rest }, call) =>
      ofPage(key.pageId, await publishVersion(rest, key, body, call));
  },
  readBack: {
    key: ({ id }) => audienceVersionEntity.parseId(String(id)),
    tells: ['status', 'queuedAt', 'publishedAt', 'cancelledAt'],
  },
});
