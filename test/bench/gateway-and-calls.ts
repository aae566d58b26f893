/**
 * The gateway, and beside it an HTTP server that makes the REST calls of a request and nothing else.
 *
 * One process, started by beyond-rest.ts: two processes of one program differ by more than what is
 * measured. It is sent what to serve, sends where, and its CPU time when it is asked. What `/calls` takes
 * more than `/` is what the calls of a request cost a server. Both have the backend's answers from memory,
 * because what sockets cost differs more from one moment to the next than what is measured.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUpstream } from '../../src/rest/client/client.ts';
import { schema } from '../../src/app/schema.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openHttpServer } from '../../src/gateway/http/http-server.ts';
import { Metrics } from '../../src/gateway/observe/metrics/metrics.ts';
import { routeOf } from '../support/sample-answers.ts';
import { MemoryDispatcher } from './memory-dispatcher.ts';
import { DEFAULTS, scopeOf } from '../support/settings.ts';

export interface GatewayAndCallsOptions {
  readonly backendUrl: string;
  /** Of the backend. */
  readonly apiKey: string;
  readonly trustedFolder: string;
  /** What makes the calls. */
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** URLs, without a path. */
export interface GatewayAndCalls {
  readonly gateway: string;
  readonly calls: string;
}

process.once('message', (options: GatewayAndCallsOptions) => {
  // Whatever comes afterwards asks for the CPU time, in microseconds.
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  void serve(options).then((urls) => process.send!(urls));
});

async function serve(options: GatewayAndCallsOptions): Promise<GatewayAndCalls> {
  const { backendUrl, apiKey, trustedFolder, query, variables } = options;
  const dispatcher = new MemoryDispatcher(backendUrl, apiKey);
  const gateway = await serveGateway(dispatcher, trustedFolder);
  const ask = async () => {
    const body = JSON.stringify({ query, variables });
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const answer = await fetch(`${gateway}/graphql`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  };
  // Its answers arrive together once they are remembered.
  await ask();
  return { gateway, calls: await serveCalls(dispatcher, await dispatcher.roundsOf(ask)) };
}

function openUpstream(dispatcher: MemoryDispatcher, metrics: Metrics) {
  return createUpstream({
    dispatcher,
    ...{ pathPrefix: '', routeSet: 'extended', timeoutMs: 3_000, maxResponseBytes: 10_000_000 },
    // What counts a call is a part of what it costs.
    observer: metrics.observer,
  });
}

async function serveGateway(dispatcher: MemoryDispatcher, folder: string): Promise<string> {
  const metrics = new Metrics();
  const gateway = createGateway({
    ...DEFAULTS,
    ...{ schema, metrics, upstream: openUpstream(dispatcher, metrics) },
    documents: { ...DEFAULTS.documents, folder },
  });
  await gateway.open();
  const { url } = await openHttpServer(gateway, { ...DEFAULTS.http, port: 0 });
  return url;
}

function callOf(target: string) {
  const found = routeOf({ method: 'GET', target });
  if (!found) throw new Error(`No route for ${target}`);
  const query = Object.fromEntries(new URL(target, 'http://backend').searchParams);
  return { route: found.route, input: { path: found.values, query } };
}

/** Answers `/calls` after the calls, each round of them after the one before, and anything else at once. */
async function serveCalls(
  dispatcher: MemoryDispatcher,
  paths: readonly (readonly string[])[],
): Promise<string> {
  const upstream = openUpstream(dispatcher, new Metrics());
  const rounds = paths.map((round) => round.map(callOf));
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const rest = upstream(scopeOf({ apiKey: String(request.headers['x-api-key']) }));
      for (const round of request.url === '/calls' ? rounds : []) {
        await Promise.all(round.map(({ route, input }) => rest.call(route, input as never)));
      }
      response.end('{}');
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  // A TCP server that listens has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
