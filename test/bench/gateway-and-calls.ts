/**
 * The gateway, and beside it an HTTP server that makes the REST calls of a request and nothing else.
 *
 * One process, started by beyond-rest.ts: two processes of one program differ by more than what is
 * measured. It is sent what to call, sends the server's port, and its CPU time when it is asked. What `/calls` takes more than `/` is
 * what the calls of a request cost a server.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { Metrics } from '../../src/server/observe/metrics.ts';
import { routes, type Route } from '../../src/v0/routes.ts';

export interface RestWork {
  readonly url: string;
  /** Paths with their queries; each list begins when the one before has been answered. */
  readonly rounds: readonly (readonly string[])[];
}

process.once('message', (work: RestWork) => {
  // Whatever comes afterwards asks for the CPU time, in microseconds.
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  void serve(work).then((port) => process.send!(port));
});

await import('../../src/main.ts');

const reads = Object.values(routes as unknown as Readonly<Record<string, Route>>)
  .filter(({ method }) => method === 'GET')
  // Routes without parameters first: theirs look like ids.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  .map((route) => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    return { route, names, pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
  });

function callOf(pathAndQuery: string) {
  const { pathname, searchParams } = new URL(pathAndQuery, 'http://backend');
  for (const { route, names, pattern } of reads) {
    const [, ...ids] = pattern.exec(pathname) ?? [];
    if (names.length !== ids.length || !pattern.test(pathname)) continue;
    const path = Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(ids[i]!)]));
    return { route, input: { path, query: Object.fromEntries(searchParams) } };
  }
  throw new Error(`No route for ${pathname}`);
}

/** Answers `/calls` after the calls, and anything else at once. */
async function serve({ url, rounds }: RestWork): Promise<number> {
  const dispatcher = new BackendDispatcher(url);
  const upstream = createUpstream({
    dispatcher,
    ...{ pathPrefix: '', routeSet: 'extended', timeoutMs: 3_000, maxResponseBytes: 10_000_000 },
    // What counts a call is a part of what it costs.
    observer: new Metrics().observer,
  });
  const calls = rounds.map((paths) => paths.map(callOf));
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const rest = upstream({ apiKey: String(request.headers['x-api-key']), requestId: 'bench' });
      for (const round of request.url === '/calls' ? calls : []) {
        await Promise.all(round.map(({ route, input }) => rest.call(route, input as never)));
      }
      response.end('{}');
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  // A TCP server that listens has an AddressInfo.
  return (server.address() as AddressInfo).port;
}
