/**
 * All routes of `/v0`: the 20 of the API spec, and six optional ones.
 *
 * Used by the gateway and the embedded backend; paths are written only here.
 */
import { z } from 'zod';
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

/** Sets of routes: the document's 20, or all 26. */
export const ROUTE_SETS = ['document', 'extended'] as const;
export type RouteSet = (typeof ROUTE_SETS)[number];

export interface Route<
  Path extends string = string,
  Response = unknown,
  Query = unknown,
  Body = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Template with parameters in braces: `/v0/pages/{page_id}`. */
  readonly path: Path;
  /** `document`: part of interface.md. `extended`: part of the service's public reference only. */
  readonly set: RouteSet;
  readonly response: z.ZodType<Response>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Types of the input; for the compiler only. */
  readonly input?: { readonly query: Query; readonly body: Body };
}

/** Names of path parameters: `page_id` for `{page_id}`. */
export type PathParameters<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameters<Rest> : never;

export type PathValues = Readonly<Record<string, string>>;

export const API_NAME = 'Content Pages API';

function get<Path extends string, Response, Query extends z.ZodObject = z.ZodObject<{}>>(
  path: Path,
  response: z.ZodType<Response>,
  query?: Query,
): Route<Path, Response, z.input<Query>, undefined> {
  return { method: 'GET', path, set: 'document', response, ...(query && { query }) };
}

function write<Path extends string, Response, Body extends z.ZodType = z.ZodUndefined>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: Path,
  response: z.ZodType<Response>,
  body?: Body,
): Route<Path, Response, undefined, z.input<Body>> & { readonly body?: Body } {
  return { method, path, set: 'document', response, ...(body && { body }) };
}

/** Marks a route as optional. Assumed: routes of the public reference that the API spec lacks. */
function extended<Of extends { readonly set: RouteSet }>(route: Of): Of {
  return { ...route, set: 'extended' };
}

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

export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/**
 * Returns fixed segments of other routes at the place of a parameter: `search` for `page_id`, because of
 * `/v0/pages/search` and `/v0/pages/{page_id}`.
 */
export function reservedWords(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const words = new Map<string, Set<string>>();
  const templates = paths.map((path) => path.split('/'));
  for (const template of templates) {
    for (const [place, parameter] of template.entries()) {
      if (!isParameter(parameter)) continue;
      const name = parameter.slice(1, -1);
      const siblings = templates.filter((other) => meet(template, other, place));
      const known = words.get(name) ?? new Set();
      for (const { [place]: word } of siblings) if (word && !isParameter(word)) known.add(word);
      if (known.size > 0) words.set(name, known);
    }
  }
  return words;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Whether two templates can match the same path up to a segment. */
const meet = (one: readonly string[], other: readonly string[], place: number): boolean =>
  one
    .slice(0, place)
    .every(
      (segment, i) => segment === other[i] || isParameter(segment) || isParameter(other[i] ?? ''),
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
