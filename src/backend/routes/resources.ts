/** The one place that lists the routes files: a new resource adds a line. */
import type { Handlers, Services } from '../http/handler.ts';
import { accountRoutes } from './account.routes.ts';
import { activityRoutes } from './activity.routes.ts';
import { audienceRoutes } from './audience.routes.ts';
import { logRoutes } from './log.routes.ts';
import { pageLinkRoutes } from './page-link.routes.ts';
import { pageRoutes } from './page.routes.ts';
import { personRoutes } from './person.routes.ts';
import { topicRoutes } from './topic.routes.ts';
import { versionRoutes } from './version.routes.ts';

export const createHandlers = (services: Services): Handlers => ({
  ...accountRoutes(services),
  ...activityRoutes(services),
  ...audienceRoutes(services),
  ...logRoutes(services),
  ...pageRoutes(services),
  ...pageLinkRoutes(services),
  ...personRoutes(services),
  ...topicRoutes(services),
  ...versionRoutes(services),
});
