/**
 * What Relay's compiler reads: `npx relay-compiler@21 test/clients/relay/relay.config.json` after a change.
 *
 * The artifacts beside it are checked in, since the compiler weighs more than all else that is installed.
 */
import { graphql } from 'relay-runtime';

export const screen = graphql`
  query screenQuery($pageId: ID!, $count: Int!, $cursor: String) {
    page(pageId: $pageId) {
      id
      name
      ...screen_audiences
    }
  }
`;

export const audiences = graphql`
  fragment screen_audiences on Page @refetchable(queryName: "screenPaginationQuery") {
    audiences(first: $count, after: $cursor) @connection(key: "screen_audiences") {
      totalCount
      edges {
        node {
          id
          effectiveName
          person {
            name
          }
          versions(first: 3) {
            nodes {
              versionNumber
              status
            }
          }
        }
      }
    }
  }
`;

export const create = graphql`
  mutation screenCreateMutation($input: CreateAudienceInput!, $connections: [ID!]!) {
    createAudience(input: $input) {
      audienceEdge @prependEdge(connections: $connections) {
        node {
          id
          effectiveName
        }
      }
      userErrors {
        message
      }
    }
  }
`;
