/**
 * For each extended route, what differs without it, and a path that it must answer if it is there.
 *
 * Ids come from the document's own routes: the parent by its route, or the first item of a list.
 */
import { routes, type Route } from './routes.ts';

/** What the graph answers without an extended route, in words, by the path of the route. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [routes.searchPages.path, '"searchPages" is UPSTREAM_UNSUPPORTED'],
  [routes.listAudiences.path, '"Page.audiences" are those that the links of the page lead to'],
  [routes.getAudience.path, 'of an audience, only its ids are answered'],
  [routes.listVersions.path, '"Audience.versions" are the latest and the published one'],
  [
    routes.getAccount.path,
    'an account is searched for in the list of all, and "Account.persons" are those in its activity',
  ],
  [
    routes.getAccountLog.path,
    'of a log entry of an account that is asked for by its id, only its ids are answered',
  ],
]);

/** Reads routes for one caller. */
export interface SampleReader {
  /** Null for a 404, undefined where the backend lacks the route. */
  find<Response>(
    route: Route<string, Response>,
    input: {
      readonly path?: Parameters;
      readonly query?: Readonly<Record<string, string | number>>;
    },
  ): Promise<Response | null | undefined>;
}

type Parameters = Readonly<Record<string, string>>;

/** `no parent`: the object is missing whether or not the route is. */
export type Sample = Parameters | 'no parent' | 'no sample';

/** @param path what the route was refused for. */
export const findSample = (route: Route, path: Parameters, reader: SampleReader): Promise<Sample> =>
  SAMPLES.get(route)!(path, reader);

/** What the paths of the extended routes may hold. */
type PathOf = Readonly<Record<'page_id' | 'audience_id' | 'account_id' | 'account_log_id', string>>;

const SAMPLES = new Map<Route, (path: PathOf, reader: SampleReader) => Promise<Sample>>([
  // A search has no object that could be missing.
  [routes.searchPages, async () => ({})],
  [
    routes.listAudiences,
    async ({ page_id }, reader) =>
      (await reader.find(routes.getPage, { path: { page_id } })) ? { page_id } : 'no parent',
  ],
  [
    routes.getAudience,
    async ({ page_id }, reader) => {
      const { live, deleted } = await linkedAudiences(page_id, reader);
      if (live[0] !== undefined) return { page_id, audience_id: live[0] };
      const listed = await reader.find(routes.listAudiences, {
        path: { page_id },
        query: { limit: 1 },
      });
      // A backend that lists no audiences is believed to read none where it does not read one that was linked.
      if (listed === undefined) {
        return deleted[0] === undefined ? 'no sample' : { page_id, audience_id: deleted[0] };
      }
      if (!listed || listed.items.length === 0) return 'no parent';
      const audience_id = textIn(listed.items[0], 'audienceId');
      return audience_id === undefined ? 'no sample' : { page_id, audience_id };
    },
  ],
  [
    routes.listVersions,
    async ({ page_id, audience_id }, reader) => {
      const path = { page_id, audience_id };
      const audience = await reader.find(routes.getAudience, { path });
      if (audience === null) return 'no parent';
      if (audience) return path;
      const { live, deleted } = await linkedAudiences(page_id, reader);
      return [...live, ...deleted].includes(audience_id) ? path : 'no sample';
    },
  ],
  [
    routes.getAccount,
    async (_path, reader) => {
      const listed = await reader.find(routes.listAccounts, { query: { limit: 1 } });
      const account_id = textIn(listed?.items[0], 'accountId');
      return account_id === undefined ? 'no sample' : { account_id };
    },
  ],
  [
    routes.getAccountLog,
    async ({ account_id }, reader) => {
      const query = { limit: 1, includeDeleted: 'true' } as const;
      const listed = await reader.find(routes.listAccountLogs, { path: { account_id }, query });
      if (!listed || listed.items.length === 0) return 'no parent';
      const account_log_id = textIn(listed.items[0], 'accountLogId');
      return account_log_id === undefined ? 'no sample' : { account_id, account_log_id };
    },
  ],
]);

/** The audiences that the first links of a page lead to, and those that deleted ones led to. */
async function linkedAudiences(pageId: string, reader: SampleReader) {
  const links = await reader.find(routes.listPageLinks, { query: { pageId, limit: 100 } });
  const live: string[] = [];
  const deleted: string[] = [];
  for (const link of links?.items ?? []) {
    if (link instanceof Error) continue;
    const id = textIn(link.target, 'audienceId');
    if (id !== undefined) (link.deletedAt ? deleted : live).push(id);
  }
  return { live, deleted };
}

/** A field of an answer; undefined where the backend broke it or left it out. */
function textIn(object: unknown, name: string): string | undefined {
  const value = (object as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
