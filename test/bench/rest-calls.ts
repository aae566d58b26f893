/**
 * REST calls alone: the gateway's client makes the calls of one request again and again.
 *
 * A process of its own, started by beyond-rest.ts, which sends it its work: what it takes is what a
 * request's calls cost.
 */
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher } from '../../src/rest/transport/dispatcher.ts';
import { routes, type Route } from '../../src/v0/routes.ts';

export interface RestWork {
  readonly url: string;
  /** Paths with their queries; each list begins when the one before has been answered. */
  readonly rounds: readonly (readonly string[])[];
  /** Requests at once, each with a key of its own, and how many each of them makes. */
  readonly callers: number;
  readonly requests: number;
}

process.on('message', (work: RestWork) => {
  void run(work).then((microsPerRequest) => process.send!(microsPerRequest));
});

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

async function run({ url, rounds, callers, requests }: RestWork): Promise<number> {
  const dispatcher = new BackendDispatcher(url);
  const upstream = createUpstream({
    dispatcher,
    ...{ pathPrefix: '', routeSet: 'extended', timeoutMs: 3_000, maxResponseBytes: 10_000_000 },
  });
  const calls = rounds.map((paths) => paths.map(callOf));
  const ask = async (apiKey: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const rest = upstream({ apiKey, requestId: 'bench' });
      for (const round of calls) {
        await Promise.all(round.map(({ route, input }) => rest.call(route, input as never)));
      }
    }
  };
  const all = (times: number) =>
    Promise.all(Array.from({ length: callers }, (_, i) => ask(`phone-${i}`, times)));
  await all(Math.ceil(requests / 2));
  const before = process.cpuUsage();
  await all(requests);
  const { user, system } = process.cpuUsage(before);
  await dispatcher.close();
  return (user + system) / (callers * requests);
}
