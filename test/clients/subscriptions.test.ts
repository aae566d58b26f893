/**
 * A version watched with the clients that frontends have, as docs/subscriptions.md shows them.
 */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { Network, Observable, type GraphQLResponse } from 'relay-runtime';
import { expect, it } from 'vitest';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { formatNodeId } from '../../src/graph/types/node-id.ts';
import { IDS } from '../support/ids.ts';
import { ID, inState } from '../faults/live-watchers.ts';
import {
  expectPublished,
  FAST,
  openLive,
  WATCH,
  wsClient,
  type Progress,
} from '../live/support.ts';
import { status } from '../support/faults.ts';
import { openGateway } from '../support/open-gateway.ts';
import { until } from '../support/until.ts';

/** Receives each event, and the end. */
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

/** Asks one query and one mutation. */
type AskTwo = (url: string, query: string, mutation: string) => Promise<readonly unknown[]>;

const SIMPLEST: Readonly<Record<string, AskTwo>> = {
  'Apollo Client': async (url, query, mutation) => {
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new GraphQLWsLink(wsClient(url)),
    });
    return [
      (await client.query({ query: gql(query) })).data,
      (await client.mutate({ mutation: gql(mutation) })).data,
    ];
  },

  urql: async (url, query, mutation) => {
    const sockets = wsClient(url);
    const client = new Client({
      url: `${url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          enableAllOperations: true,
          forwardSubscription: ({ query: text = '', variables }) => ({
            subscribe: (observer) => ({
              unsubscribe: sockets.subscribe(
                { query: text, variables: variables ?? {} },
                observer as never,
              ),
            }),
          }),
        }),
      ],
    });
    return [
      (await client.query(query, {}).toPromise()).data,
      (await client.mutation(mutation, {}).toPromise()).data,
    ];
  },
};

it.each(Object.entries(SIMPLEST))(
  '%s sends a query and a mutation over its WebSocket, the mutation once',
  async (_, askTwo) => {
    const live = await openLive();
    const id = formatNodeId('Topic', [IDS.topic]);

    const answers = await askTwo(
      live.site.url,
      '{ topics(first: 1) { nodes { id } } }',
      `mutation { updateTopic(input: { id: "${id}", title: "Over a socket" }) { topic { id title } } }`,
    );

    expect(answers).toMatchObject([
      { topics: { nodes: [{ id: expect.any(String) }] } },
      { updateTopic: { topic: { title: 'Over a socket' } } },
    ]);
    expect(live.calls.filter((call) => !call.startsWith('GET'))).toHaveLength(1);
  },
);

it.each(Object.entries(CLIENTS))(
  '%s receives the events of a version up to its publication',
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

it.each(Object.entries(CLIENTS))('%s continues after an event with an error', async (_, watch) => {
  const site = await openGateway({ backend: 'faulty', live: FAST });
  site.upstream.on(ROUTE, inState('queued'));
  const events: Progress[] = [];
  let isComplete = false;

  watch(site.url, ID, {
    next: (event) => events.push(event),
    complete: () => (isComplete = true),
  });
  await until(() => events.length > 0);
  site.upstream.on(ROUTE, status(503));
  await until(() => events.length > 1);
  site.upstream.on(ROUTE, inState('published'));
  await until(() => isComplete);

  expect(events.at(-1)!.data!.audienceVersionProgress!.audienceVersion.status).toBe('published');
});

const ROUTE = 'GET /v0/pages/p/audiences/a/versions/v';
