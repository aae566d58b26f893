import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { ApolloProvider } from '@apollo/client/react';
import { possibleTypes, typePolicies } from 'content-pages-client/apollo';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { Entries } from './Entries';
import { Publishing } from './Publishing';

const headers = { 'x-api-key': 'demo' };

const client = new ApolloClient({
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(
      createClient({
        url: 'ws://127.0.0.1:4000/graphql',
        connectionParams: headers,
        shouldRetry: () => true,
      }),
    ),
    new HttpLink({ uri: 'http://127.0.0.1:4000/graphql', headers }),
  ),
  cache: new InMemoryCache({ possibleTypes, typePolicies }),
});

createRoot(document.getElementById('root')!).render(
  <ApolloProvider client={client}>
    <App pageId="page_northwind" />
    <Publishing pageId="page_northwind" audienceId="audience_northwind_04" />
    <Entries topicId="topic_03" />
  </ApolloProvider>,
);
