import { cacheExchange } from '@urql/exchange-graphcache';
import { keys, possibleTypes, resolvers } from 'content-pages-client/graphcache';
import { createClient } from 'graphql-sse';
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider, subscriptionExchange, type ExecutionResult } from 'urql';
import { App } from './App';
import { Entries } from './Entries';
import { Publishing } from './Publishing';
import { updates } from './updates';

const url = 'http://127.0.0.1:4000/graphql';
const headers = { 'x-api-key': 'demo' };
const events = createClient({ url, headers, retryAttempts: 10 });

const client = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [
    cacheExchange({ keys, possibleTypes, resolvers, updates }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({
          unsubscribe: events.subscribe<ExecutionResult['data']>(
            { query, variables },
            { ...sink, next: (event) => sink.next(event as ExecutionResult) },
          ),
        }),
      }),
    }),
  ],
});

createRoot(document.getElementById('root')!).render(
  <Provider value={client}>
    <App pageId="page_northwind" />
    <Publishing pageId="page_northwind" audienceId="audience_northwind_04" />
    <Entries topicId="topic_03" />
  </Provider>,
);
