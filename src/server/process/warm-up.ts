/**
 * Warms a process before it takes requests.
 *
 * Node compiles a function when it is first called, and optimizes it after some hundred calls, so the first
 * nested query of a new process would take ten times as long as the hundredth. Here a gateway of its own, in
 * the same process, answers queries over loopback from a made-up backend; all that is left afterwards is code.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { GraphQLSchema } from 'graphql';
import { API_KEY_HEADER } from '../../lib/api-key.ts';
import { createUpstream } from '../../rest/client/client.ts';
import { BackendDispatcher } from '../../rest/transport/dispatcher.ts';
import { parametersOf, type Route } from '../../v0/routes.ts';
import { createGateway } from '../gateway.ts';
import { openHttpServer } from '../http/http-server.ts';
import { routeOf, sampleOf } from './sample-answers.ts';

const API_KEY = randomUUID();

/** In the shapes of screens. */
const QUERIES: readonly string[] = [
  `query Screen($id: ID!) {
    page(pageId: $id) { id pageId name title status createdAt metadata { title }
      audiences(first: 5) { totalCount pageInfo { hasNextPage endCursor }
        edges { cursor node { id audienceId effectiveName status
          latestVersion { versionNumber status createdAt }
          publishedVersion { versionNumber publishedAt }
          person { id name email logs(first: 2) { nodes { source type createdAt } } } } } } }
  }`,
  `query Lookup($id: ID!) { page(pageId: $id) { pageId name title pageType status } }`,
  `query List($id: ID!) {
    persons(first: 5) { nodes { personId name email } pageInfo { hasNextPage } }
    page(pageId: $id) { ...Named }
  }
  fragment Named on Page { __typename id name }`,
];

/** Stands for the id in the path, so that one sample a route is enough. */
const ASKED = '@';

const samples = new Map<Route, string>();

/** Requests at once: what joins and queues requests is warmed too. */
const CONCURRENCY = 4;

/** Afterwards further requests gain little. */
const ENOUGH_REQUESTS = 400;

const LOOPBACK = '127.0.0.1';

/**
 * Takes about as long as it may.
 *
 * @param maxMs after which no further request begins, in milliseconds; 0: none begins.
 * @returns how many requests were answered.
 * @throws when a port cannot be had, or a request is answered with an error.
 */
export async function warmUp(schema: GraphQLSchema, maxMs: number): Promise<number> {
  if (maxMs === 0) return 0;
  const untilMs = performance.now() + maxMs;
  // With --enable-source-maps, the first stack that is read has the map parsed.
  void new Error('read').stack;
  const backend = await openBackend();
  const { port } = backend.address() as AddressInfo; // a listening TCP server has one
  const upstream = createUpstream({
    dispatcher: new BackendDispatcher(`http://${LOOPBACK}:${port}`),
    pathPrefix: '',
    routeSet: 'extended',
    timeoutMs: 3_000,
    maxResponseBytes: 100_000,
  });
  const gateway = createGateway({ schema, upstream, requestTimeoutMs: 30_000 });
  const server = await openHttpServer({ site: gateway, host: LOOPBACK, port: 0 });
  const agent = new Agent({ keepAlive: true });
  let requests = 0;
  const work = async (): Promise<void> => {
    while (requests < ENOUGH_REQUESTS && performance.now() < untilMs) {
      requests += 1;
      await ask(agent, server.port, requests);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    agent.destroy();
    await server.close(0);
    await upstream.close();
    backend.close();
  }
  return requests;
}

async function openBackend(): Promise<Server> {
  const backend = createServer(({ url = '', headers }, response) => {
    // Others may knock, such as callers of a process that had the port before.
    if (headers[API_KEY_HEADER] !== API_KEY) {
      response.writeHead(401).end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(answerOf(url));
  });
  backend.listen(0, LOOPBACK);
  await once(backend, 'listening');
  return backend;
}

/** What the backend answers a GET, in JSON; the objects of a page are its own. */
function answerOf(target: string): string {
  const { route, values } = routeOf({ method: 'GET', target })!; // the queries lead to documented routes
  let text = samples.get(route);
  if (text === undefined) {
    const asked = Object.fromEntries(parametersOf(route.path).map((name) => [name, ASKED]));
    text = JSON.stringify(sampleOf(route, asked, { items: 3, idPrefix: `${ASKED}-` }));
    samples.set(route, text);
  }
  return text.replaceAll(ASKED, Object.values(values)[0] ?? 'none');
}

async function ask(agent: Agent, port: number, turn: number): Promise<void> {
  // Every other one is a document of its own, so that parsing, validation and planning are warmed too.
  const query = `${QUERIES[turn % QUERIES.length]}${turn % 2 === 0 ? ` # ${turn}` : ''}`;
  const headers = { 'content-type': 'application/json', [API_KEY_HEADER]: API_KEY };
  const asking = request({
    agent,
    port,
    host: LOOPBACK,
    path: '/graphql',
    method: 'POST',
    headers,
  });
  asking.end(JSON.stringify({ query, variables: { id: `page_${turn}` } }));
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (body.includes('"errors"')) throw new Error(`Answered ${body.slice(0, 500)}`);
}
