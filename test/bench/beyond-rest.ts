/**
 * What answers cost beyond their REST calls, against `{ __typename }`, which makes none.
 *
 * CPU time of the gateway's process a request, less that of a process which makes the same calls, in the
 * same rounds, with the gateway's client alone. Requests/s are what one core would do with the rest.
 * The backend answers from memory; callers have keys of their own, so that no calls are shared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { startGateway } from '../support/gateway-process.ts';
import { cpuMicros } from './machine.ts';
import { median } from './median.ts';
import type { RestWork } from './rest-calls.ts';

const CALLERS = 8;
const ROUNDS = 5;
const REQUESTS = { calling: 60, free: 1_500 };

interface Variant {
  readonly name: string;
  readonly calls: boolean;
  /** The request of a caller for the nth time. */
  readonly request: (n: number, etag: string) => Asked;
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface BeyondRestOptions {
  readonly backendUrl: string;
  /** Of the embedded backend. */
  readonly apiKey: string;
  readonly trustedFolder: string;
  readonly documentId: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** @returns rows of a table, its head first. */
export async function measureBeyondRest(options: BeyondRestOptions): Promise<string[][]> {
  const memory = await openMemory(options);
  const gateway = await startGateway({
    UPSTREAM_URL: memory.url,
    TRUSTED_DOCUMENTS: options.trustedFolder,
    LOG_LEVEL: 'warn',
  });
  const pool = new Pool(gateway.url, { connections: CALLERS });
  try {
    const { query, variables, documentId } = options;
    const post = (body: object): Asked => ({
      ...{ method: 'POST', path: '/graphql', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    const search = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
    const get: Asked = { method: 'GET', path: `/graphql?${search.toString()}` };
    const variants: readonly Variant[] = [
      { name: '`{ __typename }`', calls: false, request: () => post({ query: '{ __typename }' }) },
      {
        name: 'executed: other variables each time',
        calls: true,
        request: (n) => post({ query, variables: { ...variables, n } }),
      },
      { name: 'kept answer by POST', calls: true, request: () => post({ query, variables }) },
      {
        name: 'trusted GET, 304',
        calls: true,
        request: (_n, etag) => ({ ...get, headers: { 'if-none-match': etag } }),
      },
    ];
    const ask = async ({ method, path, headers, body }: Asked, caller: number) => {
      const answer = await pool.request({
        ...{ method, path, body: body ?? null },
        headers: { 'x-api-key': `phone-${caller}`, accept: 'application/json', ...headers },
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    };
    const tags = await Promise.all(
      Array.from({ length: CALLERS }, async (_, i) => String((await ask(get, i)).headers['etag'])),
    );
    const { text: expected } = await ask(post({ query, variables }), 0);
    const rounds = await memory.callsOf(() =>
      ask(post({ query, variables: { ...variables, n: -1 } }), 0),
    );
    let n = 0;
    const turn = async ({ name, calls, request }: Variant): Promise<number> => {
      const times = calls ? REQUESTS.calling : REQUESTS.free;
      const before = cpuMicros(gateway.process.pid!)!;
      await Promise.all(
        tags.map(async (etag, caller) => {
          for (let i = 0; i < times; i++) {
            const { status, text } = await ask(request(n++, etag), caller);
            const isRight = name.endsWith('304')
              ? status === 304
              : status === 200 && (!calls || text.length === expected.length);
            if (!isRight) throw new Error(`${name} answers ${status}: ${text.slice(0, 200)}`);
          }
        }),
      );
      return (cpuMicros(gateway.process.pid!)! - before) / (times * tags.length);
    };
    const child = fork(new URL('rest-calls.ts', import.meta.url), {
      execArgv: [...FLAGS, '--import', 'tsx'],
    });
    const rest = async (): Promise<number> => {
      const work: RestWork = {
        ...{ url: memory.url, rounds, callers: CALLERS, requests: REQUESTS.calling },
      };
      child.send(work);
      const [micros] = (await once(child, 'message')) as [number];
      return micros;
    };
    const spent = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
    const restSpent: number[] = [];
    // The first two turns only warm.
    for (let round = -2; round < ROUNDS; round++) {
      for (const variant of variants) {
        const micros = await turn(variant);
        if (round >= 0) spent.get(variant.name)!.push(micros);
      }
      const micros = await rest();
      if (round >= 0) restSpent.push(micros);
    }
    child.kill();
    await once(child, 'exit');
    const own = (name: string, calls: boolean): number =>
      median(spent.get(name)!.map((micros, i) => micros - (calls ? restSpent[i]! : 0)));
    const base = own(variants[0]!.name, false);
    const whole = (micros: number): string => `${Math.round(micros).toLocaleString('en')} µs`;
    return [
      ['request', 'CPU', 'of it REST calls', 'beyond', 'requests/s beyond', 'of `{ __typename }`'],
      ['---', '--:', '--:', '--:', '--:', '--:'],
      ...variants.map(({ name, calls }) => {
        const beyond = own(name, calls);
        return [
          name,
          whole(median(spent.get(name)!)),
          calls ? whole(median(restSpent)) : '–',
          whole(beyond),
          Math.round(1e6 / beyond).toLocaleString('en'),
          `${(base / beyond).toFixed(2)}×`,
        ];
      }),
    ];
  } finally {
    await pool.close();
    await gateway.stop();
    memory.close();
  }
}

/** Those of `npm start`. */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=35'];

/** A backend that remembers what another one answers. */
async function openMemory({ backendUrl, apiKey }: BeyondRestOptions) {
  const known = new Map<string, { readonly status: number; readonly body: Buffer }>();
  let heard: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    heard.push(path);
    const answer = async (): Promise<void> => {
      let found = known.get(path);
      if (!found) {
        const fetched = await fetch(backendUrl + path, { headers: { 'x-api-key': apiKey } });
        found = { status: fetched.status, body: Buffer.from(await fetched.arrayBuffer()) };
        known.set(path, found);
      }
      response.writeHead(found.status, {
        'content-type': 'application/json',
        'content-length': found.body.length,
      });
      response.end(found.body);
    };
    void answer();
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
    /** The calls of one request, by round. */
    callsOf: async (ask: () => Promise<unknown>): Promise<readonly (readonly string[])[]> => {
      heard = [];
      await ask();
      return [
        heard.filter((path) => OF_PAGE.test(path)),
        heard.filter((path) => !OF_PAGE.test(path)),
      ];
    },
  };
}

/** The page and its audiences; what is read of each audience waits for them. */
const OF_PAGE = /^\/v0\/pages\/[^/]+(?:\/audiences)?(?:\?.*)?$/;
