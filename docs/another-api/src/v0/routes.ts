/** The routes of the issues' API. */
import { z } from 'zod';
import { listOf, listQuery } from './list.ts';
import { get, reservedWords, type Route } from './route.ts';
import { Comment, Issue } from './schemas/issue.ts';

export {
  parametersOf,
  ROUTE_SETS,
  type PathParameters,
  type Route,
  type RouteSet,
} from './route.ts';

/** What callers know it as. */
export const API_NAME = 'Issues API';

export const routes = {
  listIssues: get('/v1/issues', listOf(Issue), z.object(listQuery)),
  getIssue: get('/v1/issues/{issue_id}', Issue),
  listComments: get('/v1/issues/{issue_id}/comments', listOf(Comment), z.object(listQuery)),
} as const;

/** By which the gateway looks at its start whether anything answers. */
export const probeRoute: Route = routes.listIssues;

/** Every deployment has all routes. */
export const extendedRoutes: readonly Route[] = [];

const reserved = reservedWords(Object.values<Route>(routes).map(({ path }) => path));

export const isReserved = (parameter: string, id: string): boolean =>
  reserved.get(parameter)?.has(id) === true;
