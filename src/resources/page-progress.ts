/**
 * `pageProgress`: one poller reads the audiences of a page for all watchers, and each gets the changes since its
 * previous event. Assumed: a version never returns to an earlier state, nor an audience to an earlier version, so an
 * audience with one is stale.
 */
import { Repeater } from '@repeaterjs/repeater';
import { type Context, createContext } from '../graph/context.ts';
import { requiring } from '../graph/entity/requirement.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { type LiveObject, type LiveSource, Snapshot } from '../live/pollers.ts';
import { isNotFound } from '../rest/call/errors.ts';
import { routes } from '../v0/routes.ts';
import type { Audience } from '../v0/schemas/audience.ts';
import { rankOf } from './audience-version.ts';
import { audienceEntity } from './audience.ts';
import { pageEntity } from './page.ts';

type PageKey = Pick<Audience, 'pageId'>;

/** Maximum number of list pages per poll, each with 100 audiences; larger lists cannot be watched. */
const MAX_LIST_PAGES = 10;

/** A page has no final state and its lists no order; stale audiences are skipped one by one. */
const audiencesSource: LiveSource<PageKey, readonly Audience[]> = {
  read: async (rest, { pageId }) => {
    const context = createContext(rest, {});
    const list = List.of(context, routes.listAudiences, { path: { page_id: pageId } });
    try {
      const audiences = await list.all({});
      // Errors replace invalid audiences.
      return audiences.filter((audience) => !((audience as unknown) instanceof Error));
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  },
  maxCalls: MAX_LIST_PAGES,
};

const livePage = (key: PageKey): LiveObject<PageKey, readonly Audience[]> => ({
  source: audiencesSource,
  key,
  id: pageEntity.idOf(key),
});

/** Polls a page soon after a write to one of its audiences with the same key. */
export const hurryPage = ({ pollers, identity }: Context, { pageId }: PageKey): void =>
  pollers?.find(identity, livePage({ pageId }))?.hurry();

interface PageChange {
  /** Audiences changed since the previous event; all of them in the first. */
  readonly audiences: readonly Audience[];
}

/** Watches a page's audiences; ends if the page does not exist. */
function watchPage({ pollers, identity }: Context, key: PageKey): Repeater<Snapshot<PageChange>> {
  if (!pollers) throw new Error('The context has no pollers: nothing can be watched.');
  return new Repeater(async (push, stop) => {
    const states = pollers.watch(identity, livePage(key));
    void stop.then(() => states.return());
    const isChanged = changeFilter();
    /** Whether the next event is sent even without changes: the first one, and the one after an error. */
    let isDue = true;
    for await (const { state, error, polls } of states) {
      const audiences = error ? [] : (state?.filter(isChanged) ?? []);
      if (state && !error && audiences.length === 0 && !isDue) continue;
      isDue = error !== undefined;
      await push(new Snapshot(polls, state && { audiences }, error));
    }
    stop();
  });
}

/**
 * Tracks the audiences sent to a watcher. The returned function returns whether an audience has changed, and records it.
 */
function changeFilter(): (audience: Audience) => boolean {
  const known = new Map<string, { readonly audience: Audience; readonly text: string }>();
  return (audience) => {
    const { audienceId, status, latestVersion, publishedVersion } = audience;
    const text = JSON.stringify([status, latestVersion, publishedVersion]);
    const sent = known.get(audienceId);
    if (sent && (sent.text === text || isBefore(audience, sent.audience))) return false;
    known.set(audienceId, { audience, text });
    return true;
  };
}

/** Whether one has an earlier version than the other, or an earlier state of the same. */
function isBefore({ latestVersion: one }: Audience, { latestVersion: other }: Audience): boolean {
  if (!one || !other) return false;
  if (one.versionId !== other.versionId) return one.versionNumber < other.versionNumber;
  return rankOf(one) < rankOf(other);
}

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
