/**
 * The one opener of gateways for tests: in this process over a real port, or as `npm start` starts it, in a process
 * of its own; in front of the embedded backend, one whose responses a test stages, or one that misbehaves.
 *
 * What it opens is closed when the file of tests has ended, if not before. Opening takes most of a test's time, so
 * without options there is one gateway a file, and gateways with the same backend options share a backend; a test that
 * writes requests a new one with `fresh`, and one that counts for its own gateway with `{}`.
 */

import { execute, parse, type GraphQLFormattedError } from 'graphql';
import type { EmbeddedBackend, BackendOptions } from '../../src/backend/backend.ts';
import { EXAMPLE_API_KEY } from '../../src/backend/seed/example.ts';
import { createContext } from '../../src/graph/context.ts';
import { createTranslate } from '../../src/gateway/operation/error-translation.ts';
import type { RequestScope, RestClient } from '../../src/rest/client/client.ts';
import { createUpstream, type Upstream } from '../../src/rest/upstream.ts';
import type { UpstreamOptions } from '../../src/rest/call/options.ts';
import type { CallLog } from '../../src/rest/call/call-log.ts';
import { BackendDispatcher, splitUpstreamUrl } from '../../src/rest/transport/dispatcher.ts';
import { schema } from '../../src/app/schema.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { Gateway, GatewayOptions } from '../../src/gateway/options.ts';
import {
  openHttpServer,
  type HttpOptions,
  type HttpServer,
} from '../../src/gateway/http/http-server.ts';
import { Metrics } from '../../src/gateway/observe/metrics/metrics.ts';
import { afterFile } from './after-file.ts';
import { clientOf, KEY, type AskOptions, type Client } from './client.ts';
import { openFaultUpstream, type FaultUpstream } from './fault-upstream.ts';
import type { GatewayProcess, GatewayProcessOptions } from './gateway-process.ts';
import { ok, status } from './faults.ts';
import { openSampleBackend } from './sample-database.ts';
import { DEFAULTS, scopeOf } from './settings.ts';
import { world } from './world.ts';

/**
 * `sample`: the embedded one over the sample data; `faulty`: one whose responses are scripted route by route, and
 * that has every object to begin with; a function: the JSON for a path and its query, and 404 for undefined; a
 * URL: one that is there already.
 */
export type BackendKind = 'sample' | 'faulty' | ((url: URL) => unknown) | URL;

type Groups = 'http' | 'limits' | 'documents' | 'live' | 'tools';

/** Each group of options has the defaults of the settings. */
type PartOfOptions = Partial<Omit<GatewayOptions, Groups>> & {
  readonly [Group in Exclude<Groups, 'http'>]?: Partial<GatewayOptions[Group]>;
};

export interface InProcessOptions extends PartOfOptions {
  readonly backend?: BackendKind;
  /** Of the embedded backend. */
  readonly sample?: Partial<BackendOptions>;
  /** An embedded backend that no other test of the file sees. */
  readonly fresh?: boolean;
  /** Of the REST client. By default an attempt takes at most 3 s, or 1 s with a backend that may fail. */
  readonly rest?: Partial<UpstreamOptions>;
  /** Of the HTTP server, and of the gateway. */
  readonly http?: Partial<GatewayOptions['http'] & HttpOptions>;
}

/** In front of a backend with the API spec's routes only, as the gateway is configured. */
export const DOCUMENT_ROUTES = {
  sample: { routes: 'document' },
  rest: { routeSet: 'document' },
} as const satisfies InProcessOptions;

export interface ProcessOptions extends GatewayProcessOptions {
  readonly backend?: 'sample' | 'faulty' | URL;
  /** Its settings. */
  readonly process: Readonly<Record<string, string>>;
}

export interface InProcessGateway extends Client {
  /** `http://127.0.0.1:1234`, without a path. */
  readonly url: string;
  readonly gateway: Gateway;
  readonly server: HttpServer;
  /** The gateway's REST client, for calls without a query. */
  readonly rest: RestClient;
  readonly backendUrl: string;
  /** Calls to the backend since the last `ask` began, or since the opening: `GET /v0/pages/p1`. */
  readonly restCalls: string[];
  /** The call log of the last operation. */
  readonly journal: CallLog;
  /** Executes by graphql-js alone, without prefetching and without the gateway around it. */
  askNaively(document: string, options?: Pick<AskOptions, 'variables'>): Promise<NaiveAnswer>;
  /** Called when the file of tests has ended, if not before. */
  close(): Promise<void>;
}

export interface NaiveAnswer {
  readonly data: any;
  /** Empty without any. */
  readonly errors: readonly GraphQLFormattedError[];
}

/** A backend whose responses and faults a test scripts. */
export interface WithFaults {
  readonly upstream: FaultUpstream;
}

type Faulty = { readonly backend: 'faulty' };

export function openGateway(options: ProcessOptions & Faulty): Promise<GatewayProcess & WithFaults>;
export function openGateway(options: ProcessOptions): Promise<GatewayProcess>;
export function openGateway(
  options: InProcessOptions & Faulty,
): Promise<InProcessGateway & WithFaults>;
export function openGateway(options?: InProcessOptions): Promise<InProcessGateway>;
export async function openGateway(
  options?: InProcessOptions | ProcessOptions,
): Promise<(InProcessGateway | GatewayProcess) & Partial<WithFaults>> {
  if (options) return openOwn(options);
  if (!plain) {
    plain = openInThisProcess({}, undefined);
    afterFile(() => (plain = undefined));
  }
  const gateway = await plain;
  gateway.restCalls.length = 0;
  return gateway;
}

/** The gateway of all tests without options, since opening one takes longer than most tests. */
let plain: Promise<InProcessGateway> | undefined;

async function openOwn(
  options: InProcessOptions | ProcessOptions,
): Promise<(InProcessGateway | GatewayProcess) & Partial<WithFaults>> {
  const upstream = options.backend === 'faulty' ? await openFaulty() : undefined;
  const opened =
    'process' in options
      ? await openInOwnProcess(options, upstream)
      : await openInThisProcess(options, upstream);
  return upstream ? Object.assign(opened, { upstream }) : opened;
}

async function openFaulty(): Promise<FaultUpstream> {
  const upstream = await openFaultUpstream();
  afterFile(() => upstream.stop());
  upstream.on('*', world());
  return upstream;
}

async function openInOwnProcess(
  { process: settings, backend = 'sample', ...options }: ProcessOptions,
  upstream: FaultUpstream | undefined,
): Promise<GatewayProcess> {
  // Imported here, since it builds the gateway, which gateways in this process do not need.
  const { startGateway } = await import('./gateway-process.ts');
  const url = upstream?.url ?? (backend instanceof URL ? backend.href : undefined);
  return startGateway({ ...(url !== undefined && { UPSTREAM_URL: url }), ...settings }, options);
}

/** Errors as callers of a gateway see them. */
const translate = createTranslate({ suggestions: true, routes: true });

async function openInThisProcess(
  options: InProcessOptions,
  faulty: FaultUpstream | undefined,
): Promise<InProcessGateway> {
  const { backend = 'sample', sample, fresh, rest: restOptions, ...rest } = options;
  const { metrics = new Metrics() } = options;
  const http = { ...DEFAULTS.http, port: 0, ...options.http };
  const restCalls: string[] = [];
  const listen = (line: string) => void restCalls.push(line);
  const site = backend === 'sample' ? sampleSite(sample ?? {}, fresh ?? false) : undefined;
  if (site) site.listener = listen;
  const backendUrl = site
    ? (await site.backend).url
    : typeof backend === 'function'
      ? await openStagedBackend(backend, listen)
      : (faulty?.url ?? String(backend));
  const { origin, pathPrefix } = splitUpstreamUrl(new URL(backendUrl));
  const dispatcher = new BackendDispatcher(origin);
  const real = createUpstream({
    dispatcher,
    pathPrefix,
    // Routes of the embedded backend are detected, as without a setting; staged responses cannot show them.
    routeSet: site ? 'auto' : 'extended',
    timeoutMs: site ? 3_000 : 1_000,
    observer: {
      ...metrics.observer,
      onCall: (call) => {
        metrics.observer.onCall?.(call);
        gateway.readiness.recordCall(call, false);
      },
    },
    exposeHeaders: options.headers?.expose ?? [],
    cache: options.extensions?.find(({ calls }) => calls?.cache)?.calls?.cache,
    ...restOptions,
  });
  let journal: CallLog | undefined;
  // The gateway makes a client for each operation; the call log of the last one is kept for the test.
  const upstream: Upstream = Object.assign((scope: RequestScope) => {
    const client = real(scope);
    journal = client.callLog;
    return client;
  }, real);
  const gateway = createGateway({
    schema,
    upstream,
    metrics,
    ...rest,
    http,
    limits: { ...DEFAULTS.limits, ...options.limits },
    documents: { ...DEFAULTS.documents, ...options.documents },
    live: { ...DEFAULTS.live, ...options.live },
    tools: { ...DEFAULTS.tools, ...options.tools },
  });
  const server = await openHttpServer(gateway, http);
  const close = async (): Promise<void> => {
    await server.close(0);
    await gateway.close();
    await dispatcher.destroy();
  };
  afterFile(close);
  const key = faulty ? KEY : EXAMPLE_API_KEY;
  const client = clientOf(server.url, key);
  const beginOperation = (): void => {
    restCalls.length = 0;
    if (site) site.listener = listen;
  };
  return {
    ...client,
    url: server.url,
    gateway,
    server,
    rest: real(scopeOf({ apiKey: key })),
    backendUrl,
    restCalls,
    get journal() {
      if (!journal) throw new Error('No operation yet: the call log belongs to the last one.');
      return journal;
    },
    ask: (...args) => {
      beginOperation();
      return client.ask(...args);
    },
    askNaively: async (document, { variables } = {}) => {
      beginOperation();
      const { data, errors = [] } = await execute({
        schema,
        document: parse(document),
        variableValues: variables as Record<string, unknown> | undefined,
        contextValue: createContext(upstream(scopeOf({ apiKey: key })), {
          apiKey: key,
          prefetches: false,
        }),
      });
      const shown = errors.map((error) => translate(error).toJSON());
      return JSON.parse(JSON.stringify({ data, errors: shown })) as NaiveAnswer;
    },
    close,
  };
}

interface SampleSite {
  readonly backend: Promise<EmbeddedBackend>;
  /** Receives the calls to the backend: of the last gateway. */
  listener: (line: string) => void;
}

const sites = new Map<string, SampleSite>();

function sampleSite(options: Partial<BackendOptions>, fresh: boolean): SampleSite {
  const id = JSON.stringify(options);
  const known = fresh ? undefined : sites.get(id);
  if (known) return known;
  const site: SampleSite = {
    backend: openSampleBackend({
      publishDelayMs: 20,
      ...options,
      onRequest: (line) => site.listener(line),
    }),
    listener: () => {},
  };
  afterFile(async () => (await site.backend).close());
  if (fresh) return site;
  sites.set(id, site);
  afterFile(() => sites.delete(id));
  return site;
}

/** Real sockets and the real code of the gateway, with responses of the test. */
async function openStagedBackend(
  answer: (url: URL) => unknown,
  listen: (line: string) => void,
): Promise<string> {
  const upstream = await openFaulty();
  upstream.on('*', (response, seen, socket) => {
    listen(`${seen.method} ${seen.target}`);
    const body = answer(new URL(seen.target, 'http://backend'));
    return (body === undefined ? status(404) : ok(body))(response, seen, socket);
  });
  return upstream.url;
}

/** Items in the list envelope, a page at a time: a cursor is the place of a page's first item. */
export function listOf(items: readonly unknown[], url: URL) {
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const end = from + Number(url.searchParams.get('limit') ?? 20);
  const hasMore = end < items.length;
  return {
    items: items.slice(from, end),
    hasMore,
    nextCursor: hasMore ? String(end) : null,
    totalCount: items.length,
  };
}
