/**
 * The gateway: GraphQL at `/graphql`, and what operators ask at `/health`, `/ready` and `/metrics`.
 *
 * It opens no port and reads no environment: `fetch` is the whole of it, for tests and for whatever
 * server stands in front.
 */
import { useDisableIntrospection } from '@graphql-yoga/plugin-disable-introspection';
import { createYoga, type Plugin } from 'graphql-yoga';
import { createContext } from '../graph/context.ts';
import type { Upstream } from '../rest/client.ts';
import { schema } from '../schema.ts';
import { readApiKey } from './api-key.ts';
import { corsFor } from './cors.ts';
import { documentCache } from './document-cache.ts';
import { DEFAULT_LIMITS, type DocumentLimits } from './document-limits.ts';
import { graphiqlOptions, graphiqlRenderer, type GraphiqlOptions } from './graphiql.ts';
import { silentLogger, type Logger } from './logger.ts';
import { maskError } from './mask-error.ts';
import { Metrics } from './metrics.ts';
import { Readiness, type Probe } from './readiness.ts';
import { refusalResponse } from './refusal.ts';
import { report } from './request-report.ts';
import { createRecord, type RequestRecord, type ServerContext } from './request-record.ts';
import { useCost } from './use-cost.ts';
import { useCsrfHeader } from './use-csrf-header.ts';
import { useDocumentLimits } from './use-document-limits.ts';
import { useParams } from './use-params.ts';
import { useRecord } from './use-record.ts';
import { useRefusals } from './use-refusals.ts';
import { useShedding } from './use-shedding.ts';

export interface GatewayOptions {
  readonly upstream: Upstream;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** Asks the backend whether it is there. @default always there */
  readonly probe?: Probe;
  /** @default silence */
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly limits?: Partial<DocumentLimits>;
  /** Backend calls that one request may make. @default 250 */
  readonly maxUpstreamCalls?: number;
  /** Origins whose pages may read answers. @default none */
  readonly corsOrigins?: readonly string[];
  /** False: browsers get no GraphiQL. */
  readonly graphiql?: GraphiqlOptions | false;
  /** @default true */
  readonly introspection?: boolean;
  /** Whether errors may name what was perhaps meant. @default true */
  readonly suggestions?: boolean;
}

export interface Gateway {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Requests as Yoga reads them fastest; Node's own cost three times as much. */
  readonly Request: typeof Request;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /**
   * As `fetch`, with a record that was begun before: what the HTTP server refuses by itself is
   * reported like the rest.
   */
  answer(request: Request, record: RequestRecord): Promise<Response>;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const {
    probe = () => Promise.resolve(200),
    logger = silentLogger(),
    metrics = new Metrics(),
  } = options;
  const readiness = new Readiness(probe, options.upstream.breaker);
  const yoga = createGraphQL(options);
  const under = new Set<Promise<unknown>>();

  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/health': async () => Response.json({ status: 'alive' }),
    '/ready': async () => {
      const report = await readiness.report();
      return Response.json(report, { status: report.ready ? 200 : 503 });
    },
    '/metrics': async () =>
      new Response(await metrics.registry.metrics(), {
        headers: { 'content-type': metrics.registry.contentType },
      }),
  };

  async function graphql(request: Request, record: RequestRecord): Promise<Response> {
    metrics.begin();
    try {
      const response = withBody(await yoga.handleRequest(request, { record }));
      if (!isPage(response)) report({ logger, metrics, record, request, response });
      return response;
    } finally {
      metrics.end();
    }
  }

  async function route(request: Request, record: RequestRecord): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/graphql') return graphql(request, record);
    const operations = routes[pathname];
    if (!operations) {
      return refusalResponse(404, 'NOT_FOUND', 'Nothing is here: GraphQL is at /graphql.');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${pathname} with GET.`);
    }
    return operations(request);
  }

  async function answer(request: Request, record: RequestRecord): Promise<Response> {
    const work = route(request, record).catch((error: unknown) => {
      logger.error({ err: error, requestId: record.requestId }, 'Request failed unexpectedly');
      return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
    });
    under.add(work);
    const response = await work;
    under.delete(work);
    response.headers.set('x-request-id', record.requestId);
    return response;
  }

  return {
    metrics,
    readiness,
    logger,
    Request: yoga.fetchAPI.Request,
    answer,
    fetch: (request) => answer(request, createRecord(request.headers.get('x-request-id'))),
    idle: async () => {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

const NO_URL_ENDS_LIKE_THIS = '\n';

/** Plugins that know our context, that don't, and that know no context at all. */
type AnyPlugin =
  Plugin<ServerContext, ServerContext> | Plugin | ReturnType<typeof useDisableIntrospection>;

function createGraphQL(options: GatewayOptions) {
  const { upstream, limits, corsOrigins = [], graphiql = {} } = options;
  const { introspection = true, suggestions = true } = options;
  const noIntrospection = !introspection && useDisableIntrospection();
  // The order is policy: hooks of one kind run from the first plugin to the last.
  const plugins: readonly (AnyPlugin | false)[] = [
    // Before anything is read of a request that a foreign page may have sent.
    useCsrfHeader(),
    // Wraps the parser Yoga has chosen by now; what it drops, Yoga's own checks don't see.
    useParams(),
    // Before validation, which is where large documents hurt.
    useDocumentLimits({ ...DEFAULT_LIMITS, ...limits }),
    noIntrospection,
    // After validation: a plan is made of a document that is known to be sound.
    useCost({ maxCalls: options.maxUpstreamCalls ?? 250 }) as unknown as Plugin,
    // Codes and statuses for whatever was refused above, or by Yoga, or by graphql-js.
    useRefusals({ suggestions }),
    // After codes are there; before what it turns into a refusal is written down.
    useShedding(),
    // Last: writes down what callers will see.
    useRecord(),
  ];
  return createYoga<ServerContext>({
    schema,
    plugins: plugins as Plugin[],
    context: ({ request, record }) => {
      const apiKey = readApiKey(request.headers, options.apiKey);
      record.rest = upstream({
        apiKey,
        requestId: record.requestId,
        maxCalls: options.maxUpstreamCalls,
        // Who leaves gives up what they were reading. A write is finished, and so is what follows it.
        signal: record.operationType === 'query' ? request.signal : undefined,
      });
      return createContext(record.rest, apiKey ?? '');
    },
    maskedErrors: { maskError },
    // Errors are logged with their request, by request-report.ts.
    logging: false,
    graphiql: graphiql && graphiqlOptions(graphiql),
    renderGraphiQL: graphiqlRenderer(),
    cors: corsFor(corsOrigins),
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache() },
    // The HTTP server bounds bodies while it reads them; Yoga's way costs more than all else it does.
    maxRequestBodySize: false,
    batching: false,
    multipart: false,
    landingPage: false,
    // Yoga answers any URL that ends like this, queries too, with an empty 200; health is ours.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
  });
}

const isPage = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/html') ?? false;

/** Some refusals of Yoga's (406, 415) are a bare status: they get words and a code. */
function withBody(response: Response): Response {
  if (response.status < 400 || response.headers.get('content-type')) return response;
  const [code, message] =
    response.status === 415
      ? (['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'] as const)
      : response.status === 406
        ? (['NOT_ACCEPTABLE', 'Accept application/graphql-response+json.'] as const)
        : (['BAD_REQUEST', response.statusText] as const);
  return refusalResponse(response.status, code, message);
}
