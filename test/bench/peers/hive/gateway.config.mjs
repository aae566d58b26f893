/**
 * Hive Gateway over the supergraph, with the peers' fields as joins that its documentation shows.
 */
import { Agent } from 'node:http';
import { defineConfig } from '@graphql-hive/gateway';
import { useDeduplicateRequest } from '@graphql-hive/plugin-deduplicate-request';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** @param args of the source's field, by their names there. */
const from = (sourceFieldName, args, requiredSelectionSet) =>
  `@resolveTo(sourceName: "Content", sourceTypeName: "Query", sourceFieldName: "${sourceFieldName}", sourceArgs: { ${args} }${
    requiredSelectionSet ? `, requiredSelectionSet: "{ ${requiredSelectionSet} }"` : ''
  })`;

const LIMIT = 'limit: "{args.first}"';
const PERSON = `person: Person ${from('getPerson', 'person_id: "{root.personId}"', 'personId')}`;

export const gatewayConfig = defineConfig({
  customAgent: () => agent,
  // As a DataLoader for each request: the same GET, with the same headers, is one.
  plugins: () => [useDeduplicateRequest()],
  additionalTypeDefs: `
    extend type Query {
      page(pageId: ID!): Page ${from('getPage', 'page_id: "{args.pageId}"')}
      persons(first: Int = 20): listPersons_200_response ${from('listPersons', LIMIT)}
      accounts(first: Int = 20): listAccounts_200_response ${from('listAccounts', LIMIT)}
    }
    extend type Page {
      audiences(first: Int = 20): listAudiences_200_response
        ${from('listAudiences', `page_id: "{root.pageId}", ${LIMIT}`, 'pageId')}
    }
    extend type Audience { ${PERSON} }
    extend type Person {
      logs(first: Int = 20): listPersonLogs_200_response
        ${from('listPersonLogs', `person_id: "{root.personId}", ${LIMIT}`, 'personId')}
    }
    extend type Account {
      activity(first: Int = 20): listActivity_200_response
        ${from('listActivity', `account_id: "{root.accountId}", ${LIMIT}`, 'accountId')}
    }
    extend type ActivityItem { ${PERSON} }
    extend type listPersons_200_response { pageInfo: PageInfo! }
    type PageInfo { hasNextPage: Boolean! }
  `,
  additionalResolvers: {
    listPersons_200_response: {
      pageInfo: {
        selectionSet: '{ hasMore }',
        resolve: ({ hasMore }) => ({ hasNextPage: hasMore }),
      },
    },
  },
});
