/** The list of routes files: a new resource adds a line. */
import type { Handlers } from '../http/handler.ts';
import { accountRoutes } from './account.routes.ts';
import { audienceRoutes } from './audience.routes.ts';
import { logRoutes } from './log.routes.ts';
import { pageLinkRoutes } from './page-link.routes.ts';
import { pageRoutes } from './page.routes.ts';
import { personRoutes } from './person.routes.ts';
import { topicRoutes } from './topic.routes.ts';
import { versionRoutes } from './version.routes.ts';

export const handlers: Handlers = {
  ...accountRoutes,
  ...audienceRoutes,
  ...logRoutes,
  ...pageRoutes,
  ...pageLinkRoutes,
  ...personRoutes,
  ...topicRoutes,
  ...versionRoutes,
};
