/** The one place that lists the routes files: a new resource adds a line. */
import { accountRoutes } from './account.routes.ts';
import { activityRoutes } from './activity.routes.ts';
import { audienceRoutes } from './audience.routes.ts';
import type { Handlers, House } from '../http/handler.ts';
import { logRoutes } from './log.routes.ts';
import { pageLinkRoutes } from './page-link.routes.ts';
import { pageRoutes } from './page.routes.ts';
import { personRoutes } from './person.routes.ts';
import { topicRoutes } from './topic.routes.ts';
import { versionRoutes } from './version.routes.ts';

export const createHandlers = (house: House): Handlers => ({
  ...accountRoutes(house),
  ...activityRoutes(house),
  ...audienceRoutes(house),
  ...logRoutes(house),
  ...pageRoutes(house),
  ...pageLinkRoutes(house),
  ...personRoutes(house),
  ...topicRoutes(house),
  ...versionRoutes(house),
});
