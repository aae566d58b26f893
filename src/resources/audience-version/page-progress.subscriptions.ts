/** `pageProgress`. */
import { builder } from '../../graph/schema/builder.ts';
import { requiring } from '../../graph/entity/requirement.ts';
import { routes } from '../../v0/routes.ts';
import { audienceEntity } from '../audience/audience.type.ts';
import { pageEntity } from '../page/page.type.ts';
import { watchPage, type PageChange } from './page-progress.live.ts';

const PageProgressRef = builder.objectRef<PageChange>('PageProgress');

builder.objectType(PageProgressRef, {
  description:
    'Event of `pageProgress`: the audiences of the page whose status or versions have changed.',
  fields: (t) => ({
    audiences: t.field({
      type: [audienceEntity.ref],
      description:
        'Audiences that have changed since the event before, as they are now; all of them in the first event, and none beside an error. No call of its own.',
      resolve: ({ audiences }, _args, context) => {
        audienceEntity.prime(context, audiences);
        return [...audiences];
      },
    }),
  }),
});

builder.subscriptionField('pageProgress', (t) =>
  t.field({
    type: PageProgressRef,
    ...requiring(
      'Sends all audiences of a page at once, and then those whose status, latest or published version changes: one stream for a whole list. Goes on until the caller leaves. Null, and complete, when there is no such page. While the backend fails, an event holds the error. The list is polled, 100 audiences a call and at most 1,000, once for all subscribers with the same API key.',
      { kind: 'watch', from: 'object', route: routes.listAudiences },
    ),
    args: { id: t.arg.id({ required: true, description: 'Global id of the page.' }) },
    subscribe: (_root, { id }, context) => watchPage(context, pageEntity.parseId(String(id))),
    resolve: ({ state, polls }, _args, { rest }) => {
      rest.callLog.polls = { route: routes.listAudiences, count: polls };
      return state;
    },
  }),
);
