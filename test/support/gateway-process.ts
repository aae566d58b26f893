/**
 * The real gateway, `src/main.ts`, in a process of its own.
 *
 * Nothing of it is reachable but what its users have: the port, the signals, what it writes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { buildGateway } from './gateway-build.ts';
import { copySampleDatabase } from './sample-database.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: any;
  readonly data: any;
  readonly errors: readonly any[];
  /** `extensions.code` of each error. */
  readonly codes: readonly string[];
  /** From sending to the last byte, in milliseconds. */
  readonly tookMs: number;
}

export interface AskOptions {
  readonly variables?: unknown;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface GatewayProcess {
  /** `http://127.0.0.1:1234`, without a path. */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Everything it wrote so far, to either stream. */
  readonly output: string;
  /** POSTs a GraphQL document as JSON. */
  ask(source: string, options?: AskOptions): Promise<Reply>;
  /** GETs a path: `/ready`. */
  get(path: string): Promise<Reply>;
  /** The sum of a metric's series whose line holds all of `labels`. */
  metric(name: string, ...labels: string[]): Promise<number>;
  /** Heap after a collection, and what keeps the process alive. Needs `gauged`. */
  gauge(): Promise<Gauge>;
  /** Ends it with SIGTERM; the exit code, null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Gauge {
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Sockets, timers and the like. */
  readonly handles: number;
}

export interface GatewayProcessOptions {
  /** True to make `gauge` work. */
  readonly gauged?: boolean;
  /** Modules to load before the gateway's own. */
  readonly preload?: readonly string[];
  /** Node's own options. */
  readonly flags?: readonly string[];
}

export const KEY = 'key-of-tenant-a-0123456789';
export const OTHER_KEY = 'key-of-tenant-b-9876543210';

const GAUGE = new URL('gauge.mjs', import.meta.url).href;

/** Starts it on a free port; resolves once it says where. */
export async function startGateway(
  env: Readonly<Record<string, string>>,
  { gauged = false, preload = [], flags = [] }: GatewayProcessOptions = {},
): Promise<GatewayProcess> {
  // What is preloaded may be TypeScript; the gateway itself is not.
  const loader = preload.some((module) => module.endsWith('.ts')) ? ['tsx'] : [];
  const modules = [...(gauged ? [GAUGE] : []), ...loader, ...preload];
  const database = copySampleDatabase();
  const child = spawn(
    process.execPath,
    [
      ...flags,
      ...(gauged ? ['--expose-gc'] : []),
      ...modules.flatMap((module) => ['--import', module]),
      await buildGateway(),
    ],
    {
      env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: database.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(gauged ? (['ipc'] as const) : [])],
    },
  );
  // A test process that dies must not leave gateways behind.
  const orphaned = () => child.kill('SIGKILL');
  process.once('exit', orphaned);
  let output = '';
  const exited = once(child, 'close').then(([code]) => {
    process.off('exit', orphaned);
    database.remove();
    return code as number | null;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let found: string | undefined;
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      // To search all of it at each line would take longer the more it writes.
      if (found) return;
      found = /http:\/\/[\w.:[\]]+(?=\/graphql)/.exec(output)?.[0];
      if (found) resolve(found);
    };
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
    void exited.then((code) => reject(new Error(`The gateway ended with ${code}: ${output}`)));
  });

  return {
    url,
    port: Number(new URL(url).port),
    process: child,
    get output() {
      return output;
    },
    ask: (source, { variables, apiKey = KEY, headers, signal } = {}) =>
      send(`${url}/graphql`, {
        method: 'POST',
        headers: { ...POST_JSON, 'x-api-key': apiKey, ...headers },
        body: JSON.stringify({ query: source, variables }),
        ...(signal && { signal }),
      }),
    get: (path) => send(`${url}${path}`),
    metric: async (name, ...labels) => {
      const { text } = await send(`${url}/metrics`);
      return text
        .split('\n')
        .filter((line) => new RegExp(`^${name}[{ ]`).test(line))
        .filter((line) => labels.every((label) => line.includes(label)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    gauge: async () => {
      const answered = once(child, 'message');
      child.send('gauge');
      return ((await answered) as [Gauge])[0];
    },
    stop: (signal = 'SIGTERM') => {
      if (child.exitCode === null) child.kill(signal);
      return exited;
    },
  };
}

export const POST_JSON = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

/** Sends any request and reads the whole reply. */
export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const startMs = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const body = parse(text);
  const errors: readonly any[] = body?.errors ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    data: body?.data,
    errors,
    codes: errors.map((error) => error.extensions?.code),
    tookMs: performance.now() - startMs,
  };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
