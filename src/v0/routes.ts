/**
 * All routes of `/v0`: the 20 of the API spec, and six optional ones.
 *
 * Used by the gateway and the embedded backend; paths are written only here.
 */
import { z } from 'zod';
import { extended, get, reservedWords, write, type Route, type RouteSet } from './route.ts';
import { Account, AccountWithPersons } from './schemas/account.ts';
import {
  Audience,
  AudienceVersion,
  CreateAudienceBody,
  PublishVersionBody,
} from './schemas/audience.ts';
import { Flag, listOf, listQuery } from './list.ts';
import { AccountLog, ActivityItem, PersonLog } from './schemas/log.ts';
import { CreatePageBody, Page, PageSearchHit, RestorePageBody } from './schemas/page.ts';
import { PageLink } from './schemas/page-link.ts';
import { Person } from './schemas/person.ts';
import { CreateTopicEntryBody, Topic, TopicEntry, UpdateTopicBody } from './schemas/topic.ts';

export {
  parametersOf,
  reservedWords,
  ROUTE_SETS,
  type PathParameters,
  type Route,
  type RouteSet,
} from './route.ts';

export const API_NAME = 'Content Pages API';

const listing = z.object(listQuery);
const logs = z.object({ ...listQuery, includeDeleted: Flag.optional() });
const accounts = z.object({ ...listQuery, includeEmptyOnly: Flag.optional() });

export const routes = {
  listAccounts: get('/v0/accounts', listOf(Account), accounts),
  searchAccounts: get(
    '/v0/accounts/search',
    listOf(Account),
    accounts.extend({ query: z.string().optional() }),
  ),
  getAccount: extended(get('/v0/accounts/{account_id}', AccountWithPersons)),
  listAccountLogs: get('/v0/accounts/{account_id}/logs', listOf(AccountLog), logs),
  getAccountLog: extended(get('/v0/accounts/{account_id}/logs/{account_log_id}', AccountLog)),
  listActivity: get(
    '/v0/accounts/{account_id}/activity',
    listOf(ActivityItem),
    logs.extend({ includePersonActivity: Flag.optional() }),
  ),

  listPersons: get('/v0/persons', listOf(Person), listing),
  getPerson: get('/v0/persons/{person_id}', Person),
  listPersonLogs: get('/v0/persons/{person_id}/logs', listOf(PersonLog), logs),
  getPersonLog: get('/v0/persons/{person_id}/logs/{person_log_id}', PersonLog),

  createPage: write('POST', '/v0/pages', Page, CreatePageBody),
  searchPages: extended(
    get(
      '/v0/pages/search',
      z.object({ items: z.array(PageSearchHit) }),
      z.object({ query: z.string().optional(), limit: listQuery.limit }),
    ),
  ),
  getPage: get('/v0/pages/{page_id}', Page),
  restorePage: write('POST', '/v0/pages/{page_id}/restore', Page, RestorePageBody),

  createAudience: write('POST', '/v0/pages/{page_id}/audiences', Audience, CreateAudienceBody),
  listAudiences: extended(get('/v0/pages/{page_id}/audiences', listOf(Audience), listing)),
  getAudience: extended(get('/v0/pages/{page_id}/audiences/{audience_id}', Audience)),
  archiveAudience: write('DELETE', '/v0/pages/{page_id}/audiences/{audience_id}', Audience),
  listVersions: extended(
    get('/v0/pages/{page_id}/audiences/{audience_id}/versions', listOf(AudienceVersion), listing),
  ),
  getVersion: get(
    '/v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}',
    AudienceVersion,
  ),
  publishVersion: write(
    'POST',
    '/v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}/publish',
    AudienceVersion,
    PublishVersionBody,
  ),

  listTopics: get('/v0/topics', listOf(Topic), listing),
  getTopic: get('/v0/topics/{topic_id}', Topic),
  updateTopic: write('PATCH', '/v0/topics/{topic_id}', Topic, UpdateTopicBody),
  createTopicEntry: write(
    'POST',
    '/v0/topics/{topic_id}/entries',
    TopicEntry,
    CreateTopicEntryBody,
  ),

  listPageLinks: get(
    '/v0/page_links',
    listOf(PageLink),
    listing.extend({
      pageId: z.string().optional(),
      path: z.string().optional(),
      tenantDomainId: z.string().optional(),
    }),
  ),
} as const;

/** A cheap list of every deployment, called at start to check that the backend responds. */
export const probeRoute: Route = routes.listTopics;

export type RouteName = keyof typeof routes;

/** Routes of the public reference only. */
export const extendedRoutes: readonly Route[] = Object.values<Route>(routes).filter(
  ({ set }) => set === 'extended',
);

export const servedRoutes = (routeSet: RouteSet): [RouteName, Route][] =>
  // Object.entries widens the names; every key of the table is a RouteName.
  (Object.entries(routes) as [RouteName, Route][]).filter(
    ([, { set }]) => routeSet === 'extended' || set === 'document',
  );

const reserved = reservedWords(Object.values<Route>(routes).map(({ path }) => path));

/**
 * Whether an id results in the path of another route: no page can be read by the id `search`. Includes routes that are
 * not served.
 *
 * Assumed: no object has such an id, and paths are case-sensitive, so `Search` is an id.
 */
export const isReserved = (parameter: string, id: string): boolean =>
  reserved.get(parameter)?.has(id) === true;

/** Assumed: 201 for creations, 200 for others; the document shows no statuses. */
export const successOf = (name: RouteName): 200 | 201 => (name.startsWith('create') ? 201 : 200);
