/**
 * Imports all resource modules, and adds the mutation and subscription types.
 */
import './page/page.ts';
import './audience/audience.ts';
import './audience-version/audience-version.ts';
import './page-link/page-link.ts';
import './topic/topic.ts';
import './account/account.ts';
import './person/person.ts';
import './log/log.ts';
import { builder } from '../graph/schema/builder.ts';
import { API_NAME } from '../v0/routes.ts';

builder.mutationType({
  description: `Write access to the ${API_NAME}. A mutation answers a payload with the written object and \`userErrors\`, and is carried out at most once.`,
});

builder.subscriptionType({
  description: `Objects of the ${API_NAME} as they change. An event is executed like a query of its own, with the same limits.`,
});
