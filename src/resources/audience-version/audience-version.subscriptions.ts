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
