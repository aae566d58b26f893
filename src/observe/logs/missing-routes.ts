/**
 * What the log says when `UPSTREAM_ROUTES=auto` finds out that the backend lacks a route.
 */
import type { RouteLabel } from '../../rest/call/errors.ts';
import { DIFFERENCES } from '../../v0/extended-routes.ts';
import type { Logger } from './logger.ts';

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
