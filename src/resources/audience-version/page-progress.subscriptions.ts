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
        'Audiences that have changed since the previous event, in their current state. The first event has all of them, an event with an error none. No REST call.',
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
      'Sends all audiences of a page immediately, and then those whose status, latest or published version changes. Continues until the client unsubscribes. Sends null and completes if the page does not exist. While the backend fails, events contain the error. The list is polled once for all subscribers with the same API key, 100 audiences per call and at most 1,000.',
      { kind: 'watch', from: 'object', route: routes.listAudiences },
    ),
    args: { id: t.arg.id({ required: true, description: 'Global ID of the page.' }) },
    subscribe: (_root, { id }, context) => watchPage(context, pageEntity.parseId(String(id))),
    resolve: ({ state, polls }, _args, { rest }) => {
      rest.callLog.polls = { route: routes.listAudiences, count: polls };
      return state;
    },
  }),
);
