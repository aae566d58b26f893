/** A deploy while a version is watched, with each client of docs/clients.md: it connects again, and misses no end. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { Network, Observable, type GraphQLResponse } from 'relay-runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { FAST, openLive, WATCH, type Progress } from '../live/support.ts';
import { openGateway } from '../support/open-gateway.ts';
import { openRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const headers = { 'x-api-key': EXAMPLE_API_KEY };

const retry = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

const openSse = (url: string, key = headers) =>
  createSseClient({ url, headers: key, retryAttempts: 10, retry });

function openWs(url: string) {
  const client = createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers,
    shouldRetry: () => true,
    retryWait: retry,
  });
  onTestFinished(() => client.dispose());
  return client;
}

type Watch = (url: string, id: string, next: (event: Progress) => void) => void;

/** Either client as the function of urql's `subscriptionExchange`. */
const byUrql =
  (open: (url: string) => ReturnType<typeof openSse> | ReturnType<typeof openWs>): Watch =>
  (url, id, next) => {
    const events = open(url);
    const client = new Client({
      url,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables = {} }) => ({
            subscribe: (sink) => ({
              unsubscribe: events.subscribe({ query, variables }, sink as never),
            }),
          }),
        }),
        fetchExchange,
      ],
    });
    client.subscription(WATCH, { id }).subscribe((event) => next(event as Progress));
  };

const CLIENTS: Readonly<Record<string, Watch>> = {
  'Apollo Client over WebSocket': (url, id, next) => {
    const link = new GraphQLWsLink(openWs(url));
    const client = new ApolloClient({ cache: new InMemoryCache(), link });
    onTestFinished(() => client.stop());
    client
      .subscribe({ query: gql(WATCH), variables: { id } })
      .subscribe((event) => next(event as Progress));
  },
  'urql over WebSocket': byUrql(openWs),
  'urql over graphql-sse': byUrql(openSse),
  'Relay over graphql-sse': (url, id, next) => {
    const events = openSse(url);
    const network = Network.create(
      () => Promise.reject(new Error('Nothing is fetched here.')),
      ({ text }, variables) =>
        Observable.create<GraphQLResponse>((sink) =>
          events.subscribe({ query: text ?? '', variables }, sink as never),
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
    network.execute(params, { id }, {}).subscribe({ next: (event) => next(event as Progress) });
  },
};

it.each(Object.entries(CLIENTS))(
  '%s sees a publish that finishes after a deploy',
  async (_, watch) => {
    const live = await openLive();
    const id = await live.draft();
    const balancer = await openRelay();
    balancer.leadTo(Number(new URL(live.site.url).port));
    const statuses: (string | null | undefined)[] = [];
    watch(`http://localhost:${balancer.port}/graphql`, id, ({ data }) =>
      statuses.push(data?.audienceVersionProgress?.audienceVersion.status),
    );
    await until(() => statuses.includes('draft'));

    const next = await openGateway({ backend: new URL(live.backend.url), live: FAST });
    balancer.leadTo(Number(new URL(next.url).port));
    await live.site.close();
    const { body } = await next.ask(
      'mutation ($input: PublishAudienceVersionInput!) { publishAudienceVersion(input: $input) { userErrors { message } } }',
      { variables: { input: { id } }, apiKey: EXAMPLE_API_KEY },
    );

    expect(body.errors).toBeUndefined();
    await until(() => statuses.at(-1) === 'published');
  },
);

describe('a request that no retry can fix', () => {
  it('is reported by graphql-sse on the first attempt when the API key is missing', async () => {
    const { url } = await openGateway();
    let attempts = 0;
    const events = createSseClient({
      url: `${url}/graphql`,
      retryAttempts: 10,
      retry,
      fetchFn: (...given: Parameters<typeof fetch>) => {
        attempts += 1;
        return fetch(...given);
      },
    });

    const seen: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      events.subscribe(
        { query: WATCH, variables: { id: 'x' } },
        { next: (event) => seen.push(event), complete: resolve, error: reject },
      );
    });

    expect(seen).toMatchObject([{ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }]);
    expect(attempts).toBe(1);
  });

  it('is reported by Apollo Client when it subscribes through HttpLink, whose protocol is not supported', async () => {
    const { url } = await openGateway();
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new HttpLink({ uri: `${url}/graphql`, headers }),
    });
    onTestFinished(() => client.stop());

    const failure = await new Promise<Error>((resolve) => {
      client
        .subscribe({ query: gql(WATCH), variables: { id: 'x' } })
        .subscribe({ next: ({ error }) => error && resolve(error), error: resolve });
    });

    expect(failure.message).toMatch(/406|Accept `text\/event-stream`/);
  });

  it('includes each GET query of urql without an API key or a CSRF header, if the gateway has a key', async () => {
    const { url } = await openGateway({ apiKey: EXAMPLE_API_KEY });
    const ask = async (options: object) => {
      const client = new Client({ url: `${url}/graphql`, exchanges: [fetchExchange], ...options });
      const { data, error } = await client
        .query('{ topics(first: 1) { totalCount } }', {})
        .toPromise();
      return data ? 'data' : error?.graphQLErrors[0]?.extensions['code'];
    };

    expect(await ask({})).toBe('CSRF_HEADER_MISSING');
    expect(await ask({ preferGetMethod: false })).toBe('data');
    const marked = { headers: { 'apollo-require-preflight': 'true' } };
    expect(await ask({ fetchOptions: marked })).toBe('data');
  });
});
