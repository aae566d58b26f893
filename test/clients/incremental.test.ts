/**
 * A deferred screen, with and without a failing field, as Apollo Client with either of its handlers, urql, and
 * Relay through the adapter read it.
 */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { Client, fetchExchange } from '@urql/core';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Environment,
  Network,
  Observable,
  RecordSource,
  Store,
  createOperationDescriptor,
  type ConcreteRequest,
} from 'relay-runtime';
import { describe, expect, it } from 'vitest';
import { relayAccept, relayPayloads } from '../../src/client/relay-incremental.ts';
import { openGateway } from '../support/open-gateway.ts';
import { after, ok, status, type Behaviour } from '../support/faults.ts';
import { routeOf, sampleOf, world, worldWithBrokenRow } from '../support/world.ts';

const HEADERS = { 'x-api-key': 'key' };

const SCREEN = `query Screen {
  page(pageId: "p") {
    __typename
    id
    name
    ...Free @defer(label: "Screen$defer$Free")
    ...People @defer(label: "Screen$defer$People")
  }
}
fragment Free on Page { status id }
fragment People on Page { createdAt audiences(first: 1) { totalCount } id }`;

/** A gateway whose backend returns the page immediately and its audiences later. */
async function open(audiences: Behaviour = world()) {
  const site = await openGateway({ backend: 'faulty' });
  const { upstream } = site;
  upstream.on('GET /v0/pages/p/audiences', async (...args) => {
    await sleep(80);
    await audiences(...args);
  });
  return site;
}

interface Screen {
  readonly page: {
    readonly name: string;
    readonly status?: string;
    readonly createdAt?: string;
    readonly audiences?: { readonly totalCount: number } | null;
  };
}

interface Seen {
  readonly first: Screen;
  readonly last: Screen;
  readonly errors: readonly string[];
}

const HANDLERS = { Defer20220824Handler, GraphQL17Alpha9Handler };

async function byApollo(url: string, name: keyof typeof HANDLERS): Promise<Seen> {
  const client = new ApolloClient({
    link: ApolloLink.from([new HttpLink({ uri: `${url}/graphql`, headers: HEADERS, fetch })]),
    cache: new InMemoryCache(),
    // Apollo's own types disagree on an optional property.
    incrementalHandler: new HANDLERS[name]() as NonNullable<
      ApolloClient.Options['incrementalHandler']
    >,
  });
  const seen: Screen[] = [];
  const errors: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const watched = client.watchQuery<Screen>({ query: gql(SCREEN), errorPolicy: 'all' });
    watched.subscribe({
      next: ({ data, error }) => {
        if (data) seen.push(data as Screen);
        if (error) errors.push(error.message);
        if (data?.page?.createdAt) resolve();
      },
      error: reject,
    });
  });
  client.stop();
  return { first: seen[0]!, last: seen.at(-1)!, errors };
}

async function byUrql(url: string): Promise<Seen> {
  const client = new Client({
    url: `${url}/graphql`,
    fetchOptions: { headers: HEADERS },
    exchanges: [fetchExchange],
    preferGetMethod: false,
  });
  const seen: Screen[] = [];
  const errors: string[] = [];
  await new Promise<void>((resolve) => {
    client.query<Screen>(SCREEN, {}).subscribe(({ data, error, hasNext }) => {
      seen.push(structuredClone(data as Screen));
      if (error) errors.push(error.message);
      if (!hasNext) resolve();
    });
  });
  return { first: seen[0]!, last: seen.at(-1)!, errors };
}

const scalar = (name: string) => ({
  ...{ alias: null, args: null, kind: 'ScalarField', name, storageKey: null },
});

/** The artefact of relay-compiler for the screen, as far as the store needs it. */
const AUDIENCES = {
  ...{ alias: null, args: [{ kind: 'Literal', name: 'first', value: 1 }] },
  concreteType: 'AudienceConnection',
  kind: 'LinkedField',
  name: 'audiences',
  plural: false,
  selections: [scalar('totalCount')],
  storageKey: 'audiences(first:1)',
};
const pageOf = (more: readonly object[]) => [
  {
    ...{ alias: null, args: [{ kind: 'Literal', name: 'pageId', value: 'p' }] },
    concreteType: 'Page',
    kind: 'LinkedField',
    name: 'page',
    plural: false,
    selections: [scalar('__typename'), scalar('id'), scalar('name'), ...more],
    storageKey: 'page(pageId:"p")',
  },
];
const defer = (name: string, selections: readonly object[]) => ({
  ...{ if: null, kind: 'Defer', label: `Screen$defer$${name}`, selections },
});
const relayScreen = {
  fragment: {
    ...{ argumentDefinitions: [], kind: 'Fragment', metadata: null, name: 'Screen' },
    selections: pageOf([scalar('status'), scalar('createdAt'), AUDIENCES]),
    type: 'Query',
    abstractKey: null,
  },
  kind: 'Request',
  operation: {
    ...{ argumentDefinitions: [], kind: 'Operation', name: 'Screen' },
    selections: pageOf([
      defer('Free', [scalar('status')]),
      defer('People', [scalar('createdAt'), AUDIENCES]),
    ]),
  },
  params: {
    cacheID: '1',
    id: null,
    metadata: {},
    name: 'Screen',
    operationKind: 'query',
    text: SCREEN,
  },
} as unknown as ConcreteRequest; // as relay-compiler writes it, which is not installed

type FieldErrors = readonly { readonly kind: string; readonly error: Error }[] | null;

/**
 * A request by Relay: the screen as it is first and last, the errors that the store has for it, and the error that has
 * failed the request.
 */
async function askRelay(url: string, request: ConcreteRequest, send = fetch) {
  const network = Network.create(({ text }) =>
    Observable.create((sink) => {
      const init = {
        method: 'POST',
        headers: { ...HEADERS, 'content-type': 'application/json', accept: relayAccept },
        body: JSON.stringify({ query: text }),
      };
      void (async () => {
        for await (const payload of relayPayloads(await send(`${url}/graphql`, init))) {
          sink.next(payload as Parameters<typeof sink.next>[0]);
        }
        sink.complete();
      })().catch((error: Error) => sink.error(error));
    }),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const operation = createOperationDescriptor(request, {});
  const kept = environment.retain(operation);
  const lookup = () => environment.lookup(operation.fragment);
  const seen: Screen[] = [];
  const failure = await new Promise<Error | undefined>((resolve) => {
    environment.execute({ operation }).subscribe({
      next: () => seen.push(structuredClone(lookup().data) as unknown as Screen),
      complete: () => resolve(undefined),
      error: resolve,
    });
  });
  // The types of Relay's runtime do not have it.
  const { fieldErrors } = lookup() as unknown as { readonly fieldErrors: FieldErrors };
  kept.dispose();
  // As @throwOnFieldError reads them.
  const errors = (fieldErrors ?? []).flatMap((one) =>
    one.kind === 'relay_field_payload.error' ? [one] : [],
  );
  return { first: seen[0]!, last: seen.at(-1)!, errors, failure };
}

const byRelay = async (url: string): Promise<Seen> => {
  const { errors, failure, ...seen } = await askRelay(url, relayScreen);
  if (failure) throw failure;
  return { ...seen, errors: errors.map(({ error }) => error.message) };
};

const CLIENTS: readonly (readonly [string, (url: string) => Promise<Seen>])[] = [
  ['Apollo Client, format of 2022', (url) => byApollo(url, 'Defer20220824Handler')],
  ['Apollo Client, v0.2', (url) => byApollo(url, 'GraphQL17Alpha9Handler')],
  ['urql', byUrql],
  ['Relay', byRelay],
];

const linked = (name: string, concreteType: string, selections: readonly object[]) => ({
  ...{ alias: null, args: null, concreteType, kind: 'LinkedField', name, plural: false },
  ...{ selections, storageKey: null },
});
const AUDIENCE = [
  ...['__typename', 'id', 'createdAt'].map(scalar),
  linked('person', 'Person', [scalar('id'), scalar('name')]),
];
const AUDIENCE_TEXT = '{ __typename id createdAt person { id name } }';

/** Lists of audiences, with what is selected of an item as text. */
const STREAMED = {
  nodes: { field: { ...linked('nodes', 'Audience', AUDIENCE), plural: true }, text: AUDIENCE_TEXT },
  edges: {
    field: {
      ...linked('edges', 'AudienceEdge', [linked('node', 'Audience', AUDIENCE)]),
      plural: true,
    },
    text: `{ node ${AUDIENCE_TEXT} }`,
  },
};

const audiencesWith = (list: object) => [
  {
    ...pageOf([])[0],
    selections: [
      scalar('__typename'),
      scalar('id'),
      {
        ...linked('audiences', 'AudienceConnection', [list]),
        args: [{ kind: 'Literal', name: 'first', value: 4 }],
        storageKey: 'audiences(first:4)',
      },
    ],
  },
];

function relayStream(name: keyof typeof STREAMED): ConcreteRequest {
  const { field, text } = STREAMED[name];
  const label = `Stream$stream$${name}`;
  const query = `query Stream {
    page(pageId: "p") {
      __typename
      id
      audiences(first: 4) { ${name} @stream(initialCount: 1, label: "${label}") ${text} }
    }
  }`;
  return {
    fragment: {
      ...{ argumentDefinitions: [], kind: 'Fragment', metadata: null, name: 'Stream' },
      ...{ selections: audiencesWith(field), type: 'Query', abstractKey: null },
    },
    kind: 'Request',
    operation: {
      ...{ argumentDefinitions: [], kind: 'Operation', name: 'Stream' },
      selections: audiencesWith({ if: null, kind: 'Stream', label, selections: [field] }),
    },
    params: { ...relayScreen.params, cacheID: label, name: 'Stream', text: query },
  } as unknown as ConcreteRequest; // as relay-compiler writes it
}

/** The audiences of a streamed list, as Relay shows them last. */
const audiencesOf = (screen: Screen) =>
  (screen as unknown as { page: { audiences: Record<keyof typeof STREAMED, object[]> } }).page
    .audiences;

const shown = ({ page }: Screen) => ({
  name: page.name,
  status: page.status,
  hasCreatedAt: typeof page.createdAt === 'string',
  totalCount: page.audiences?.totalCount,
});

describe.each(CLIENTS)('%s', (_, read) => {
  it('shows the page first, and its audiences when they arrive', async () => {
    const { url } = await open();

    const { first, last, errors } = await read(url);

    expect(errors).toEqual([]);
    expect(first.page.name).toBe('name');
    expect(first.page.audiences).toBeUndefined();
    expect(shown(last)).toEqual({
      name: 'name',
      status: expect.any(String),
      hasCreatedAt: true,
      totalCount: expect.any(Number),
    });
  });

  it('keeps the page when a deferred field fails, and reports an error', async () => {
    const { url } = await open(after(1, status(403)));

    const { first, last, errors } = await read(url);

    expect(first.page.name).toBe('name');
    expect(last.page).toMatchObject({ name: 'name', audiences: null });
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe('Relay', () => {
  it('stores the error of each field of a streamed item', async () => {
    const { url, upstream } = await openGateway({ backend: 'faulty' });
    const rest = world();
    upstream.on('*', (response, seen, socket) =>
      (seen.target.startsWith('/v0/persons/') ? status(403) : rest)(response, seen, socket),
    );

    const { last, errors } = await askRelay(url, relayStream('nodes'));

    const { nodes } = audiencesOf(last);
    expect(nodes.length).toBeGreaterThan(1);
    expect(nodes).toEqual(nodes.map((node) => ({ ...node, person: null })));
    expect(errors.map(({ error }) => error.message)).toEqual(
      nodes.map(() => expect.stringContaining('403')),
    );
  });

  /** A gateway over a list with a broken row, which comes later than the first part of a stream. */
  async function openWithBrokenRow() {
    const site = await openGateway({ backend: 'faulty' });
    const rest = worldWithBrokenRow();
    site.upstream.on('*', async (response, seen, socket) => {
      if (seen.target === '/v0/persons/p1') await sleep(80);
      return rest(response, seen, socket);
    });
    return site;
  }

  it('fails the request when a whole deferred part fails, and keeps the data already shown', async () => {
    const { url, upstream } = await open();
    upstream.on('GET /v0/pages/p', (response, seen, socket) => {
      const { route, values } = routeOf(seen)!;
      return ok({ ...sampleOf(route, values), createdAt: 'no date' })(response, seen, socket);
    });

    const { last, failure } = await askRelay(url, relayScreen);

    expect(failure?.message).toContain('ISO 8601');
    expect(last.page.name).toBe('name');
  });

  it('fails the request when a streamed row is null', async () => {
    const { url } = await openWithBrokenRow();

    const { last, failure } = await askRelay(url, relayStream('nodes'));

    expect(failure?.message).toContain('ISO 8601');
    expect(audiencesOf(last).nodes.length).toBeLessThan(4);
  });

  it('shows all other rows of streamed edges when one has no node, and stores its error', async () => {
    const { url } = await openWithBrokenRow();

    const { last, errors, failure } = await askRelay(url, relayStream('edges'));

    expect(failure).toBeUndefined();
    const node = { id: expect.any(String) };
    expect(audiencesOf(last).edges).toMatchObject([{ node }, { node }, { node: null }, { node }]);
    expect(errors.map(({ error }) => error.message)).toEqual([expect.stringContaining('ISO 8601')]);
  });

  it('reads all parts of a response without a stream, as in React Native', async () => {
    const { url } = await open();
    const streamless: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      return Object.create(response, {
        body: { value: undefined },
        headers: { value: response.headers },
        text: { value: () => response.text() },
      }) as Response;
    };

    const { last, errors, failure } = await askRelay(url, relayScreen, streamless);

    expect([failure, errors]).toEqual([undefined, []]);
    expect(shown(last)).toMatchObject({ hasCreatedAt: true, totalCount: expect.any(Number) });
  });

  it('reports an error when the response ends cleanly but before its last part', async () => {
    const site = await open();
    const response = await fetch(`${site.url}/graphql`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json', accept: relayAccept },
      body: JSON.stringify({ query: SCREEN }),
    });
    const { headers } = response;
    const text = await response.text();
    const ends = [...text.matchAll(/\r\n--graphql/g)].map(
      ({ index }) => index + '\r\n--graphql'.length,
    );
    expect(ends.length).toBeGreaterThan(2);

    const read = async (body: string): Promise<number> => {
      let count = 0;
      for await (const _ of relayPayloads(new Response(body, { headers }))) count++;
      return count;
    };

    expect(await read(text)).toBe(3);
    for (const end of ends.slice(0, -1)) {
      await expect(read(text.slice(0, end))).rejects.toThrow(/last part/);
    }
  });
});
