/** `audienceVersionProgress`. */
import { startFrom } from '../../graph/entity/lookahead.ts';
import { builder } from '../../graph/schema/builder.ts';
import { requiring } from '../../graph/entity/requirement.ts';
import { routes } from '../../v0/routes.ts';
import { isFinal, watchVersion } from './audience-version.live.ts';
import { audienceVersionEntity, type VersionNode } from './audience-version.type.ts';

const AudienceVersionProgressRef = builder.objectRef<VersionNode>('AudienceVersionProgress');

builder.objectType(AudienceVersionProgressRef, {
  description: 'Event of `audienceVersionProgress`: the version after a change of its status.',
  fields: (t) => ({
    audienceVersion: t.field({
      type: audienceVersionEntity.ref,
      description: 'The version as it is now. No call of its own.',
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
      'Sends the version at once and after each change of its status, and completes when it is published, cancelled or archived. Null, and complete, when there is no such version. While the backend fails, an event holds the last known version and the error. The version is polled, once for all subscribers with the same API key.',
      { kind: 'watch', from: 'object', route: routes.getVersion },
    ),
    args: { id: t.arg.id({ required: true, description: 'Global id of the audience version.' }) },
    subscribe: (_root, { id }, context) =>
      watchVersion(context, audienceVersionEntity.parseId(String(id))),
    resolve: ({ state, polls }, _args, { rest }) => {
      rest.callLog.polls = { route: routes.getVersion, count: polls };
      return state;
    },
  }),
);
