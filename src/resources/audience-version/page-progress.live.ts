/**
 * How the audiences of a page are watched: one poller reads their list, whoever watches, and each watcher
 * is told what has changed since it was told last.
 *
 * Assumed: a version never goes back, so an audience with an earlier state is one that is out of date.
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

/** Pages of the list that one poll reads, each of 100 audiences: a page with more cannot be watched. */
const MAX_LIST_PAGES = 10;

const audiencesSource: LiveSource<PageKey, readonly Audience[]> = {
  read: async (rest, { pageId }) => {
    const context = createContext(rest, {});
    const list = List.of(context, routes.listAudiences, { path: { page_id: pageId } });
    try {
      const audiences = await list.all({});
      // An error stands for an audience that the backend broke.
      return audiences.filter((audience) => !((audience as unknown) instanceof Error));
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  },
  maxCalls: MAX_LIST_PAGES,
  // A page has no last state, and lists no order: what is out of date is left out audience by audience.
  rankOf: () => 0,
  isFinal: () => false,
  changedAt: () => undefined,
};

const livePage = (key: PageKey): LiveObject<PageKey, readonly Audience[]> => ({
  source: audiencesSource,
  key,
  id: pageEntity.idOf(key),
});

/** A write has changed an audience of a page: who watches the page with the same key sees it soon. */
export const hurryPage = ({ pollers, identity }: Context, { pageId }: PageKey): void =>
  pollers?.hurry(identity, livePage({ pageId }));

/** What one event tells. */
export interface PageChange {
  /** Those that have changed since the event before; all of them in the first. */
  readonly audiences: readonly Audience[];
}

/** The changes of a page's audiences from now on; ends when there is no such page. */
export function watchPage(
  { pollers, identity }: Context,
  key: PageKey,
): Repeater<Snapshot<PageChange>> {
  if (!pollers) throw new Error('The context has no pollers: nothing can be watched.');
  return new Repeater(async (push, stop) => {
    const states = pollers.watch(identity, livePage(key));
    void stop.then(() => states.return());
    const isNews = newsForOne();
    /** Whether the next event is one even if nothing has changed: the first, and that after an error. */
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

/** Remembers what a watcher was told: answers whether an audience has changed since, and takes it for told then. */
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

/** Whether one shows an earlier state of the version that the other shows. */
const isBefore = ({ latestVersion: one }: Audience, { latestVersion: other }: Audience): boolean =>
  Boolean(one && other && one.versionId === other.versionId && rankOf(one) < rankOf(other));
