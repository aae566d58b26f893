/** Imports all resource modules, and adds the mutation and subscription types. */
import './page.ts';
import './audience.ts';
import './audience-version.ts';
import './publishing.ts';
import './page-progress.ts';
import './page-link.ts';
import './topic.ts';
import './account.ts';
import './person.ts';
import './log.ts';
import { builder } from '../graph/schema/builder.ts';
import { API_NAME } from '../v0/routes.ts';

builder.mutationType({
  description: `Write access to the ${API_NAME}. Each mutation returns the written object and \`userErrors\`, and is executed at most once.`,
});

builder.subscriptionType({
  description: `Live updates of objects of the ${API_NAME}. Each event is executed like a separate query, with the same limits.`,
});
