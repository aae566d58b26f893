import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { possibleTypes, typePolicies } from 'content-pages-client/apollo';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { Entries } from './Entries';

const client = new ApolloClient({
  link: new HttpLink({ uri: 'http://127.0.0.1:4000/graphql', headers: { 'x-api-key': 'demo' } }),
  cache: new InMemoryCache({ possibleTypes, typePolicies }),
});

createRoot(document.getElementById('root')!).render(
  <ApolloProvider client={client}>
    <App pageId="page_northwind" />
    <Entries topicId="topic_03" />
  </ApolloProvider>,
);
