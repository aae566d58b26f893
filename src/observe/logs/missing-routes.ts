/**
 * What the log says when `UPSTREAM_ROUTES=auto` finds out that the backend lacks a route.
 */
import type { RouteLabel } from '../../rest/call/errors.ts';
import { routes } from '../../v0/routes.ts';
import type { Logger } from './logger.ts';

/** By the path of the missing route. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
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

const DETAILS = 'docs/assumptions.md#a-deployment-with-the-documents-routes-only';

/** One line a route and process. */
export const warnOfMissingRoute =
  (logger: Logger) =>
  ({ method, path }: RouteLabel): void => {
    const route = `${method} ${path}`;
    logger.warn(
      { route },
      `The backend does not have ${route}: from now on ${DIFFERENCES.get(path)}. Found out by UPSTREAM_ROUTES=auto, until this process ends. See ${DETAILS}`,
    );
  };
