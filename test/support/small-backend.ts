/**
 * A small backend with any of the optional routes missing, whose objects read the same with and without
 * them: every audience has one link, every linked person one event, and no audience more than two versions.
 */

import { routes, type Route } from '../../src/v0/routes.ts';
import { afterFile } from './after-file.ts';
import { openFaultUpstream } from './fault-upstream.ts';
import { after, html, ok, status, type Behaviour, type Seen } from './faults.ts';
import { listOf } from './open-gateway.ts';
import { routeOf, sampleOf } from './world.ts';

type Values = Readonly<Record<string, string>>;
type Found = Record<string, any>;

const page = (pageId: string, audiencesCount: number): Found => ({
  ...sampleOf(routes.getPage),
  ...{ pageId, name: `Page ${pageId}`, audiencesCount },
});
const version = (audienceId: string, versionNumber: number): Found => ({
  ...sampleOf(routes.getVersion),
  ...{ versionId: `${audienceId}v${versionNumber}`, audienceId, versionNumber },
});
const audience = (audienceId: string, personId: string | null, versions: number): Found => ({
  ...sampleOf(routes.getAudience),
  ...{ pageId: 'p1', audienceId, personId, effectiveName: `Audience ${audienceId}` },
  latestVersion: version(audienceId, versions),
  publishedVersion: version(audienceId, 1),
});
const person = (personId: string): Found => ({
  ...sampleOf(routes.getPerson),
  ...{ personId, name: `Person ${personId}`, domain: 'one.example' },
});
const accountLog = (accountLogId: string): Found => ({
  ...sampleOf(routes.getAccountLog),
  ...{ accountId: 'ac1', accountLogId, source: 'crm', type: 'note' },
});
const personLog = (personId: string): Found => ({
  ...sampleOf(routes.getPersonLog),
  ...{ personId, personLogId: `${personId}l1`, source: 'crm', type: 'call' },
});

const PAGES = [page('p1', 3), page('p2', 0)];
const AUDIENCES = [audience('a1', 'pe1', 2), audience('a2', null, 1), audience('a3', 'pe2', 2)];
const PERSONS = [person('pe1'), person('pe2')];
const ACCOUNTS: Found[] = ['ac1', 'ac2'].map((accountId) => ({
  ...(sampleOf(routes.listAccounts)['items'] as Found[])[0],
  ...{ accountId, name: `Account ${accountId}` },
  domain: accountId === 'ac1' ? 'one.example' : 'two.example',
  linkedPersonsCount: accountId === 'ac1' ? PERSONS.length : 0,
}));
const ACCOUNT_LOGS = [accountLog('l1'), accountLog('l2')];
const PERSON_LOGS = PERSONS.map(({ personId }) => personLog(personId as string));
const LINKS = AUDIENCES.map(({ audienceId }) => ({
  ...(sampleOf(routes.listPageLinks)['items'] as Found[])[0],
  ...{ pageLinkId: `to-${audienceId}`, path: `/${audienceId}`, deletedAt: null },
  target: { targetType: 'audience', audienceId },
}));
const EVENTS = [...ACCOUNT_LOGS, ...PERSON_LOGS].map((log, i) => ({
  ...(sampleOf(routes.listActivity)['items'] as Found[])[0],
  ...{ activityId: `e${i}`, accountId: 'ac1', source: log['source'], type: log['type'] },
  accountLogId: log['accountLogId'] ?? null,
  personId: log['personId'] ?? null,
  personLogId: log['personLogId'] ?? null,
}));
const TOPIC: Found = { ...sampleOf(routes.getTopic), topicId: 't1', entries: [] };

const one = (
  all: readonly Found[],
  ...wanted: readonly (readonly [string, string | undefined])[]
) => all.find((object) => wanted.every(([name, value]) => object[name] === value));

const versionsOf = (audienceId: string | undefined): Found[] | undefined => {
  const found = one(AUDIENCES, ['audienceId', audienceId]);
  if (!found) return undefined;
  const { latestVersion, publishedVersion } = found;
  return latestVersion.versionId === publishedVersion.versionId
    ? [latestVersion]
    : [latestVersion, publishedVersion];
};

const onPage = (values: Values) => values['page_id'] === 'p1';
const listIf = (isThere: boolean, items: readonly Found[], url: URL) =>
  isThere ? listOf(items, url) : undefined;

/** The response of each route; undefined for a 404. */
const ANSWERS = new Map<Route, (values: Values, url: URL) => unknown>([
  [routes.listAccounts, (_, url) => listOf(ACCOUNTS, url)],
  [
    routes.searchAccounts,
    (_, url) => {
      const query = url.searchParams.get('query') ?? '';
      return listOf(
        ACCOUNTS.filter(({ domain }) => (domain as string).includes(query)),
        url,
      );
    },
  ],
  [
    routes.getAccount,
    ({ account_id }) => {
      const found = one(ACCOUNTS, ['accountId', account_id]);
      const { linkedPersonsCount, ...account } = found ?? {};
      return found && { ...account, linkedPersons: linkedPersonsCount > 0 ? PERSONS : [] };
    },
  ],
  [
    routes.listAccountLogs,
    ({ account_id }, url) =>
      listIf(
        one(ACCOUNTS, ['accountId', account_id]) !== undefined,
        account_id === 'ac1' ? ACCOUNT_LOGS : [],
        url,
      ),
  ],
  [
    routes.getAccountLog,
    (v) => one(ACCOUNT_LOGS, ['accountId', v['account_id']], ['accountLogId', v['account_log_id']]),
  ],
  [
    routes.listActivity,
    ({ account_id }, url) => {
      const all = url.searchParams.get('includePersonActivity') === 'true';
      const events = EVENTS.filter(({ personId }) => all || personId === null);
      const isThere = one(ACCOUNTS, ['accountId', account_id]) !== undefined;
      return listIf(isThere, account_id === 'ac1' ? events : [], url);
    },
  ],
  [routes.listPersons, (_, url) => listOf(PERSONS, url)],
  [routes.getPerson, ({ person_id }) => one(PERSONS, ['personId', person_id])],
  [
    routes.listPersonLogs,
    ({ person_id }, url) =>
      listIf(
        one(PERSONS, ['personId', person_id]) !== undefined,
        PERSON_LOGS.filter(({ personId }) => personId === person_id),
        url,
      ),
  ],
  [
    routes.getPersonLog,
    (v) => one(PERSON_LOGS, ['personId', v['person_id']], ['personLogId', v['person_log_id']]),
  ],
  [routes.searchPages, () => ({ items: PAGES })],
  [routes.getPage, ({ page_id }) => one(PAGES, ['pageId', page_id])],
  [
    routes.listAudiences,
    (v, url) => {
      const isThere = one(PAGES, ['pageId', v['page_id']]) !== undefined;
      return listIf(isThere, onPage(v) ? AUDIENCES : [], url);
    },
  ],
  [
    routes.getAudience,
    (v) => (onPage(v) ? one(AUDIENCES, ['audienceId', v['audience_id']]) : undefined),
  ],
  [
    routes.listVersions,
    (v, url) => {
      const versions = onPage(v) ? versionsOf(v['audience_id']) : undefined;
      return versions && listOf(versions, url);
    },
  ],
  [
    routes.getVersion,
    (v) =>
      onPage(v)
        ? one(versionsOf(v['audience_id']) ?? [], ['versionId', v['version_id']])
        : undefined,
  ],
  [routes.listTopics, (_, url) => listOf([TOPIC], url)],
  [routes.getTopic, ({ topic_id }) => (topic_id === 't1' ? TOPIC : undefined)],
  [
    routes.listPageLinks,
    (_, url) => {
      const pageId = url.searchParams.get('pageId') ?? 'p1';
      const path = url.searchParams.get('path');
      const links = LINKS.filter((link) => path === null || link.path === path);
      return listOf(pageId === 'p1' ? links : [], url);
    },
  ],
  [routes.createAudience, () => AUDIENCES[0]],
  [routes.publishVersion, () => version('a1', 2)],
]);

export interface SmallBackend {
  readonly url: string;
  /** Calls so far: `GET /v0/pages/p1`. */
  readonly calls: string[];
  /** The keys of these calls. */
  readonly keys: string[];
  /** Routes that are rejected with `refusal`. */
  missing: ReadonlySet<Route>;
  /** 404, 405 or 501. */
  refusal: number;
  /** Whether missing routes are rejected in HTML, as Express and reloading proxies do. */
  refusesInHtml: boolean;
  /** Whether every link of a page is deleted. */
  linksAreDeleted: boolean;
  /** Whether any id of a page returns a page, even `search`, as stubs do. */
  takesAnyPage: boolean;
  /** How long a response takes, in milliseconds. */
  latencyMs: number;
}

/** Closes with the file. */
export async function openSmallBackend(missing: Iterable<Route> = []): Promise<SmallBackend> {
  const upstream = await openFaultUpstream();
  afterFile(() => upstream.stop());
  const world: SmallBackend = {
    url: upstream.url,
    calls: [],
    keys: [],
    missing: new Set(missing),
    refusal: 404,
    refusesInHtml: false,
    linksAreDeleted: false,
    takesAnyPage: false,
    latencyMs: 0,
  };
  upstream.on('*', (response, seen, socket) => {
    world.calls.push(`${seen.method} ${seen.target}`);
    world.keys.push(String(seen.headers['x-api-key']));
    return after(world.latencyMs, answerOf(world, seen))(response, seen, socket);
  });
  return world;
}

function answerOf(world: SmallBackend, { method, target }: Seen): Behaviour {
  const found = routeOf({ method, target });
  if (found && world.missing.has(found.route)) {
    return world.refusesInHtml ? html(world.refusal) : status(world.refusal);
  }
  const url = new URL(target, 'http://backend');
  const answer: any = found && ANSWERS.get(found.route)?.(found.values, url);
  if (answer && world.linksAreDeleted && found?.route === routes.listPageLinks) {
    const items = answer.items.map((link: Found) => ({ ...link, deletedAt: link['createdAt'] }));
    return ok({ ...answer, items });
  }
  if (answer !== undefined) return ok(answer);
  const isAnyPage = world.takesAnyPage && /^\/v0\/pages\/[^/]*$/.test(url.pathname);
  return isAnyPage ? ok(PAGES[0]) : status(404);
}
