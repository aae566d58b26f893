/**
 * What answers cost beyond their REST calls, against `{ __typename }`, which makes none.
 *
 * CPU time a request of one process that is both the gateway and a bare HTTP server which makes the same
 * calls with the gateway's client. The two take turns, and what a turn of the gateway takes more than
 * the turn of calls before it is what an answer costs beyond its calls. The backend answers from memory;
 * callers have keys of their own, so that no calls are shared.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { Pool } from 'undici';
import { has, NODE_FLAGS } from './machine.ts';
import { median } from './median.ts';
import type { RestWork } from './gateway-and-calls.ts';

const CALLERS = 8;
const TRIALS = 2;
const ROUNDS = 20;
const WARM_UP = 6;
const REQUESTS = { calling: 20, free: 400 };

const BR = { 'accept-encoding': 'br' };

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

type Memory = Awaited<ReturnType<typeof openMemory>>;

/** @returns rows of a table, its head first. */
export async function measureBeyondRest(options: BeyondRestOptions): Promise<string[][]> {
  const memory = await openMemory(options);
  const variants = variantsOf(options);
  try {
    const measured: (readonly Sample[])[] = [];
    for (let i = 0; i < TRIALS; i++) {
      measured.push(...(await measureProcess(options, memory, variants)));
    }
    const base = median(measured.map(([first]) => first!.micros));
    return [
      [
        'request',
        'CPU',
        'of it REST calls',
        'beyond',
        'half of all',
        'of `{ __typename }` requests/s',
      ],
      ['---', '--:', '--:', '--:', '--:', '--:'],
      ...variants.map(({ name, calls }, i) => {
        const samples = measured.map((round) => round[i]!);
        const beyond = samples.map(({ micros, rest }) => micros - rest).sort((a, b) => a - b);
        const quarter = (part: number): string => whole(beyond[Math.floor(part * beyond.length)]!);
        const ratio = base / median(beyond);
        return [
          name,
          whole(median(samples.map(({ micros }) => micros))),
          calls ? whole(median(samples.map(({ rest }) => rest))) : '–',
          whole(median(beyond)),
          `${quarter(0.25)} to ${quarter(0.75)}`,
          // Less than nothing is less than what rounds differ by.
          ratio > 0 ? `${ratio.toFixed(2)}×` : 'more',
        ];
      }),
    ];
  } finally {
    memory.close();
  }
}

const whole = (micros: number): string => `${Math.round(micros).toLocaleString('en')} µs`;

/** In the order in which they are measured: what is executed leaves the most to collect. */
function variantsOf({ query, variables, documentId }: BeyondRestOptions): readonly Variant[] {
  const post = (body: object, headers = {}): Asked => ({
    ...{ method: 'POST', path: '/graphql', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  });
  const search = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
  const get: Asked = { method: 'GET', path: `/graphql?${search.toString()}` };
  return [
    { name: '`{ __typename }`', calls: false, request: () => post({ query: '{ __typename }' }) },
    {
      name: 'trusted GET, 304',
      calls: true,
      request: (_n, etag) => ({ ...get, headers: { 'if-none-match': etag } }),
    },
    {
      name: 'trusted GET, kept answer, br',
      calls: true,
      request: () => ({ ...get, headers: BR }),
    },
    {
      name: 'trusted POST, kept answer, br',
      calls: true,
      request: () => post({ documentId, variables }, BR),
    },
    { name: 'text by POST, kept answer', calls: true, request: () => post({ query, variables }) },
    {
      name: 'text by POST, executed',
      calls: true,
      // A document of its own: one that is seldom repeated is seldom looked for among kept answers.
      request: (n) => post({ query: `${query}\n`, variables: { ...variables, n } }),
    },
  ];
}

/** In microseconds of CPU a request: a variant, and just before it the REST calls of such a request. */
interface Sample {
  readonly micros: number;
  readonly rest: number;
}

/** Measures a fresh process. @returns a sample a variant, for each round. */
async function measureProcess(
  options: BeyondRestOptions,
  memory: Memory,
  variants: readonly Variant[],
): Promise<(readonly Sample[])[]> {
  const child = fork(new URL('gateway-and-calls.ts', import.meta.url), {
    // Kept on one core, where that can be said.
    ...(has('taskset') && { execPath: 'taskset' }),
    execArgv: [
      ...(has('taskset') ? ['-c', '0', process.execPath] : []),
      ...NODE_FLAGS,
      '--import',
      'tsx',
    ],
    env: {
      ...process.env,
      ...{ PORT: '0', LOG_LEVEL: 'warn' },
      ...{ UPSTREAM_URL: memory.url, TRUSTED_DOCUMENTS: options.trustedFolder },
    },
    silent: true,
  });
  const pool = new Pool(await urlOf(child), { connections: CALLERS });
  let bare: Pool | undefined;
  try {
    const ask = async ({ method, path, headers, body }: Asked, caller: number) => {
      const answer = await pool.request({
        ...{ method, path, body: body ?? null },
        headers: { 'x-api-key': `phone-${caller}`, accept: 'application/json', ...headers },
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { status: answer.statusCode, headers: answer.headers, bytes };
    };
    const trusted = variants[1]!;
    const executed = variants.at(-1)!;
    const tags = await Promise.all(
      Array.from({ length: CALLERS }, async (_, i) =>
        String((await ask(trusted.request(0, ''), i)).headers['etag']),
      ),
    );
    let expected = 0;
    const rounds = await memory.callsOf(async () => {
      expected = (await ask(executed.request(-1, ''), 0)).bytes.length;
    });
    child.send({ url: memory.url, rounds } satisfies RestWork);
    const [port] = (await once(child, 'message')) as [number];
    bare = new Pool(`http://127.0.0.1:${port}`, { connections: CALLERS });
    const cpuMicros = async (): Promise<number> => {
      child.send('cpu');
      return ((await once(child, 'message')) as [number])[0];
    };
    const measure = async (
      times: number,
      askOnce: (caller: number) => Promise<void>,
    ): Promise<number> => {
      const before = await cpuMicros();
      await Promise.all(
        tags.map(async (_, caller) => {
          for (let i = 0; i < times; i++) await askOnce(caller);
        }),
      );
      return ((await cpuMicros()) - before) / (times * tags.length);
    };
    let n = 0;
    const measureVariant = ({ name, calls, request }: Variant): Promise<number> =>
      measure(calls ? REQUESTS.calling : REQUESTS.free, async (caller) => {
        const { status, headers, bytes } = await ask(request(n++, tags[caller]!), caller);
        const length = headers['content-encoding']
          ? brotliDecompressSync(bytes).length
          : bytes.length;
        const isRight = name.endsWith('304')
          ? status === 304
          : status === 200 && (!calls || length === expected);
        if (!isRight) throw new Error(`${name} answers ${status}: ${bytes.toString()}`);
      });
    const measureBare = (path: string, times: number): Promise<number> =>
      measure(times, async (caller) => {
        const answer = await bare!.request({
          ...{ method: 'GET', path, headers: { 'x-api-key': `phone-${caller}` } },
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`The bare server answers ${text}`);
      });
    const measured: (readonly Sample[])[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const none = await measureBare('/', REQUESTS.free);
      const samples: Sample[] = [];
      for (const variant of variants) {
        const rest = variant.calls ? (await measureBare('/calls', REQUESTS.calling)) - none : 0;
        samples.push({ rest, micros: await measureVariant(variant) });
      }
      if (round >= 0) measured.push(samples);
    }
    return measured;
  } finally {
    await bare?.close();
    await pool.close();
    child.kill();
    await once(child, 'exit');
  }
}

async function urlOf(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout!) {
    output += String(chunk);
    const found = /http:\/\/[\w.:]+(?=\/graphql)/.exec(output)?.[0];
    if (found) return found;
  }
  throw new Error(`The gateway did not start: ${output}`);
}

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
