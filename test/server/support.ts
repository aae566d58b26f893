/**
 * The server for a test: the embedded backend, the gateway and an HTTP server on a free port, all
 * in this process; or the whole product in a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { createUpstream } from '../../src/rest/client/client.ts';
import { BackendDispatcher, splitUpstreamUrl } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/schema.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/server/gateway.ts';
import { openHttpServer, type HttpServer } from '../../src/server/http/http-server.ts';
import { Metrics } from '../../src/server/observe/metrics.ts';
import { upstreamProbe } from '../../src/server/observe/upstream-probe.ts';
import { afterFile } from '../support/after-file.ts';
import { openFaultUpstream, type FaultUpstream } from '../support/fault-upstream.ts';
import { buildGateway } from '../support/gateway-build.ts';
import { copySampleDatabase, openSampleBackend } from '../support/sample-database.ts';
import { world } from '../support/world.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: any;
  /** `extensions.code` of each error. */
  readonly codes: readonly string[];
}

export interface Site {
  readonly url: string;
  readonly gateway: Gateway;
  readonly server: HttpServer;
  /** What the backend was asked so far. */
  readonly restCalls: string[];
  /** POSTs a query as JSON with the sample key. */
  query(query: string, options?: QueryOptions): Promise<Reply>;
}

export interface QueryOptions {
  readonly operationName?: string | undefined;
  readonly variables?: unknown;
  readonly headers?: Record<string, string>;
}

type SiteOptions = Partial<GatewayOptions> & {
  readonly upstreamUrl?: string;
  readonly maxBodyBytes?: number;
  /** One try of one call, in milliseconds. @default 1,000 */
  readonly timeoutMs?: number;
  readonly liveDrainMs?: number;
};

let backend: Backend | undefined;
let restCalls: string[] = [];

/** Call it once in a file whose tests open sites: they share one backend. */
export function shareBackend(): void {
  beforeAll(async () => {
    backend = await openSampleBackend({
      publishDelayMs: 20,
      onRequest: (line) => restCalls.push(line),
    });
  });
  afterAll(() => backend?.close());
}

/** A server that closes with the test. */
export async function openSite({
  upstreamUrl,
  maxBodyBytes = 100_000,
  timeoutMs = 1_000,
  liveDrainMs = 5_000,
  ...options
}: SiteOptions = {}): Promise<Site> {
  const { origin, pathPrefix } = splitUpstreamUrl(new URL(upstreamUrl ?? backend!.url));
  const dispatcher = new BackendDispatcher(origin);
  const metrics = new Metrics();
  const upstream = createUpstream({
    dispatcher,
    pathPrefix,
    routeSet: 'extended',
    timeoutMs,
    maxResponseBytes: 5_000_000,
    observer: metrics.observer,
  });
  const gateway = createGateway({
    schema,
    upstream,
    metrics,
    probe: upstreamProbe({ origin, dispatcher, pathPrefix, apiKey: undefined, timeoutMs: 500 }),
    ...options,
  });
  const server = await openHttpServer({
    ...{ site: gateway, host: '127.0.0.1', port: 0 },
    ...{ maxBodyBytes, liveDrainMs },
  });
  restCalls = [];
  onTestFinished(async () => {
    await server.close(0);
    await dispatcher.destroy();
  });
  return {
    url: server.url,
    gateway,
    server,
    restCalls,
    query: (query, { variables, operationName, headers } = {}) =>
      send(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': EXAMPLE_API_KEY, ...POST_JSON, ...headers },
        body: JSON.stringify({ query, variables, operationName }),
      }),
  };
}

/** A server that closes with the test, over a backend that a test can make fail. */
export async function openFaultySite(
  options: SiteOptions = {},
): Promise<{ readonly upstream: FaultUpstream; readonly site: Site }> {
  const upstream = await openFaultUpstream();
  onTestFinished(() => upstream.stop());
  upstream.on('*', world());
  return { upstream, site: await openSite({ upstreamUrl: upstream.url, ...options }) };
}

export const POST_JSON = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const body = parse(text);
  const codes = (body?.errors ?? []).map((error: any) => error.extensions?.code);
  return { status: response.status, headers: response.headers, text, body, codes };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Product {
  readonly process: ChildProcess;
  /** What it wrote so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** The URL of GraphiQL, once it has been printed. */
  ready(): Promise<string>;
  /** The exit code; null after a signal. */
  exit(): Promise<number | null>;
}

/** Built once, whatever starts it. */
const MAIN = await buildGateway();

/** `npm start` without its build, on a free port by default; ends with the file of tests at the latest. */
export function startProduct(env: Record<string, string> = {}): Product {
  const database = copySampleDatabase();
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, PORT: '0', BACKEND_DATABASE_URL: database.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  const exited = once(child, 'close').then(([code]) => {
    database.remove();
    return code as number | null;
  });
  afterFile(() => child.kill('SIGKILL'));
  const urlIn = (text: string) => /http:\/\/[\w.:[\]]+\/graphql/.exec(text)?.[0];
  return {
    process: child,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
    ready: () =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const url = urlIn(written.stdout);
          if (url) resolve(url);
        };
        child.stdout.on('data', look);
        look();
        void exited.then((code) => {
          reject(new Error(`It ended with ${code}: ${written.stderr}`));
        });
      }),
    exit: () => exited,
  };
}
