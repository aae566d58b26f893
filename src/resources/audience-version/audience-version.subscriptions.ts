/** `audienceVersionProgress`. */
import { builder } from '../../graph/types/builder.ts';
import { startFrom } from '../../graph/entity/lookahead.ts';
import { costing } from '../../graph/types/field-builder.ts';
import { routes } from '../../v0/routes.ts';
import type { VersionNode } from '../audience/audience.entity.ts';
import { audienceVersionEntity, AudienceVersionRef } from './audience-version.entity.ts';
import { isFinal, watchVersion } from './audience-version.live.ts';

const AudienceVersionProgressRef = builder.objectRef<VersionNode>('AudienceVersionProgress');

builder.objectType(AudienceVersionProgressRef, {
  description: 'State of an audience version on its way to being published.',
  fields: (t) => ({
    audienceVersion: t.field({
      type: AudienceVersionRef,
      description: 'The version as it is now. No call of its own.',
      resolve: (version, _args, context, info) => {
        audienceVersionEntity.prime(context, [version]);
        startFrom(audienceVersionEntity, version, context, info);
        return version;
      },
    }),
    isFinal: t.boolean({
      description:
        'Whether nothing follows: the version is published, cancelled or archived, and the subscription completes.',
      resolve: isFinal,
    }),
  }),
});

builder.subscriptionField('audienceVersionProgress', (t) =>
  t.field({
    type: AudienceVersionProgressRef,
    nullable: true,
    description: costing(
      'State of a version, at once and after each change, until it is published, cancelled or archived. Null, and complete, when there is no such version. While the backend cannot be asked, an event has the last known state beside the error. However many watch a version with one key, it is read once for all of them.',
      routes.getVersion,
    ),
    args: { id: t.arg.id({ required: true, description: 'Global id of the audience version.' }) },
    subscribe: (_root, { id }, context) =>
      watchVersion(context, audienceVersionEntity.parseId(String(id))),
    resolve: (event) => event.state,
  }),
);
