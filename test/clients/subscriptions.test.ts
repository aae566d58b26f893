/**
 * A version watched with the clients that frontends have, as docs/clients.md shows them.
 */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { Network, Observable, type GraphQLResponse } from 'relay-runtime';
import { it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { openLive, expectPublished, WATCH, wsClient, type Progress } from '../live/support.ts';
import { until } from '../support/until.ts';

/** Hears of each event, and of the end. */
interface Sink {
  next(event: Progress): void;
  complete(): void;
}

type Watch = (url: string, id: string, sink: Sink) => void;

const HEADERS = { 'x-api-key': EXAMPLE_API_KEY };

const CLIENTS: Readonly<Record<string, Watch>> = {
  'Apollo Client over WebSocket': (url, id, sink) => {
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new GraphQLWsLink(wsClient(url)),
        new HttpLink({ uri: `${url}/graphql`, headers: HEADERS }),
      ),
    });
    client.subscribe({ query: gql(WATCH), variables: { id } }).subscribe({
      next: (event) => sink.next(event as Progress),
      complete: () => sink.complete(),
    });
  },

  'urql over its own fetch exchange': (url, id, sink) => {
    const client = new Client({
      url: `${url}/graphql`,
      fetchOptions: { headers: HEADERS },
      fetchSubscriptions: true,
      exchanges: [fetchExchange],
      preferGetMethod: false,
    });
    client.subscription(WATCH, { id }).subscribe((event) => {
      sink.next(event as Progress);
      if (event.hasNext === false || event.data?.audienceVersionProgress?.isFinal) sink.complete();
    });
  },

  'urql over WebSocket': (url, id, sink) => {
    const sockets = wsClient(url);
    const client = new Client({
      url: `${url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (observer) => ({
              unsubscribe: sockets.subscribe(
                { query, variables: variables ?? {} },
                {
                  ...observer,
                  next: ({ data = null, errors }) =>
                    observer.next({ data, ...(errors && { errors: [...errors] }) }),
                },
              ),
            }),
          }),
        }),
      ],
    });
    client.subscription(WATCH, { id }).subscribe((event) => {
      sink.next(event as Progress);
      if (event.data?.audienceVersionProgress?.isFinal) sink.complete();
    });
  },

  'Relay over server-sent events': (url, id, sink) => {
    const events = createSseClient({ url: `${url}/graphql`, headers: HEADERS });
    const network = Network.create(
      () => Promise.reject(new Error('Nothing is fetched here.')),
      ({ text }, variables) =>
        Observable.create<GraphQLResponse>((observer) =>
          events.subscribe(
            { query: text ?? '', variables },
            {
              next: (event) => observer.next(event as GraphQLResponse),
              error: (error) => observer.error(error as Error),
              complete: () => observer.complete(),
            },
          ),
        ),
    );
    const params = {
      name: 'Progress',
      operationKind: 'subscription',
      text: WATCH,
      id: null,
      cacheID: 'progress',
      metadata: {},
    } as const;
    network.execute(params, { id }, {}).subscribe({
      next: (event) => sink.next(event as Progress),
      complete: () => sink.complete(),
    });
  },
};

it.each(Object.entries(CLIENTS))(
  'a version that is published is watched by %s',
  async (_, watch) => {
    const live = await openLive();
    const id = await live.draft();
    const events: Progress[] = [];
    let isComplete = false;

    watch(live.site.url, id, {
      next: (event) => events.push(event),
      complete: () => (isComplete = true),
    });
    await until(() => events.length > 0);
    await live.publish(id);
    await until(() => isComplete);

    expectPublished(events);
    await live.quiet();
  },
);
