/**
 * Watching of a page's audiences: one poller reads their list for all watchers, and each watcher gets the changes since
 * its previous event.
 *
 * Assumed: a version never returns to an earlier state, nor an audience to an earlier version, so an audience with one is
 * stale.
 */
import { Repeater } from '@repeaterjs/repeater';
import { createContext, type Context } from '../../graph/context.ts';
import { List } from '../../graph/loading/list.ts';
import { Snapshot, type LiveObject, type LiveSource } from '../../live/live-object.ts';
import { isNotFound } from '../../rest/call/errors.ts';
import type { Audience } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from '../page/page.type.ts';
import { rankOf } from './audience-version.live.ts';

type PageKey = Pick<Audience, 'pageId'>;

/** Maximum number of list pages per poll, each with 100 audiences; larger lists cannot be watched. */
const MAX_LIST_PAGES = 10;

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
  // A page has no final state and its lists no order; stale audiences are skipped one by one.
  rankOf: () => 0,
  isFinal: () => false,
  changedAt: () => undefined,
};

const livePage = (key: PageKey): LiveObject<PageKey, readonly Audience[]> => ({
  source: audiencesSource,
  key,
  id: pageEntity.idOf(key),
});

/** Polls a page soon after a write to one of its audiences with the same key. */
export const hurryPage = ({ pollers, identity }: Context, { pageId }: PageKey): void =>
  pollers?.hurry(identity, livePage({ pageId }));

/** Content of an event. */
export interface PageChange {
  /** Audiences changed since the previous event; all of them in the first. */
  readonly audiences: readonly Audience[];
}

/** Watches a page's audiences; ends if the page does not exist. */
export function watchPage(
  { pollers, identity }: Context,
  key: PageKey,
): Repeater<Snapshot<PageChange>> {
  if (!pollers) throw new Error('The context has no pollers: nothing can be watched.');
  return new Repeater(async (push, stop) => {
    const states = pollers.watch(identity, livePage(key));
    void stop.then(() => states.return());
    const isNews = newsForOne();
    /** Whether the next event is sent even without changes: the first one, and the one after an error. */
    let isDue = true;
    for await (const { state, error, polls } of states) {
      const audiences = error ? [] : (state?.filter(isNews) ?? []);
      if (state && !error && audiences.length === 0 && !isDue) continue;
      isDue = error !== undefined;
      await push(new Snapshot(polls, state && { audiences }, error));
    }
    stop();
  });
}

/**
 * Tracks the audiences sent to a watcher. The returned function tells whether an audience has changed, and records it.
 */
function newsForOne(): (audience: Audience) => boolean {
  const known = new Map<string, { readonly audience: Audience; readonly text: string }>();
  return (audience) => {
    const { audienceId, status, latestVersion, publishedVersion } = audience;
    const text = JSON.stringify([status, latestVersion, publishedVersion]);
    const told = known.get(audienceId);
    if (told && (told.text === text || isBefore(audience, told.audience))) return false;
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
