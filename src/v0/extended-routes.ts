/**
 * For each optional route: what differs without it, and how to find a path for its discovery.
 *
 * Ids are read by the document's routes: of the parent, or of the first item of a list.
 */
import type { PathValues } from './route.ts';
import { routes, type Route } from './routes.ts';

/** Describes the graph without an optional route, by path. */
export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [routes.searchPages.path, '`searchPages` fails with UPSTREAM_UNSUPPORTED'],
  [routes.listAudiences.path, '`Page.audiences` lists only audiences that page links lead to'],
  [routes.getAudience.path, 'audiences have no fields except their ids'],
  [routes.listVersions.path, '`Audience.versions` lists only the latest and the published version'],
  [
    routes.getAccount.path,
    'accounts are looked up in the list of all accounts, and `Account.persons` lists only persons in their activity',
  ],
  [routes.getAccountLog.path, 'log entries that are queried by id have no fields except their ids'],
]);

/** Reads routes with a caller's key. */
export interface SampleReader {
  /** Returns null for a 404, undefined if the backend lacks the route. */
  find<Response>(
    route: Route<string, Response>,
    input: {
      readonly path?: PathValues;
      readonly query?: Readonly<Record<string, string | number>>;
    },
  ): Promise<Response | null | undefined>;
}

/** `no parent`: the object is missing for any state of the route. */
type PathSample = PathValues | 'no parent' | 'no sample';

/** Path parameters of the optional routes. */
type PathOf = Readonly<Record<'page_id' | 'audience_id' | 'account_id' | 'account_log_id', string>>;

/** Finds the path of an object that an optional route would return, from that of a rejected call. */
export const SAMPLES = new Map<Route, (path: PathOf, reader: SampleReader) => Promise<PathSample>>([
  // A search has no object that may be missing.
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
      // Without a list of audiences, one linked in the past decides.
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

/** Audiences of a page's first links, and of its deleted links. */
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

/** Returns a string field of a response; undefined if it is missing or invalid. */
function textIn(object: unknown, name: string): string | undefined {
  const value = (object as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
