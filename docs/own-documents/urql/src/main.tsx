import { cacheExchange } from '@urql/exchange-graphcache';
import { keys, possibleTypes, resolvers } from 'content-pages-client/graphcache';
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider } from 'urql';
import { App } from './App';
import { Entries } from './Entries';
import { updates } from './updates';

const client = new Client({
  url: 'http://127.0.0.1:4000/graphql',
  preferGetMethod: false,
  fetchOptions: { headers: { 'x-api-key': 'demo' } },
  exchanges: [cacheExchange({ keys, possibleTypes, resolvers, updates }), fetchExchange],
});

createRoot(document.getElementById('root')!).render(
  <Provider value={client}>
    <App pageId="page_northwind" />
    <Entries topicId="topic_03" />
  </Provider>,
);
