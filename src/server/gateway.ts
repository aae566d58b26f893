/**
 * The gateway: GraphQL at `/graphql`, and what operators read at `/health`, `/ready`, `/metrics`,
 * `/usage` and `/drift`.
 *
 * What happens to an operation is one list of Yoga plugins, in their order. Every operation passes it, over
 * every carrier. The gateway opens no port and reads no environment: tests, and servers other than ours,
 * call `fetch`.
 */
import { createHash } from 'node:crypto';
import { printSchema, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import { assertExecutable } from '../execution/assert-executable.ts';
import type { Execute } from '../execution/execute.ts';
import type { PollRange } from '../live/poller.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { Pollers } from '../live/pollers.ts';
import { API_KEY_HEADER } from '../v0/api-key.ts';
import { prepareCost } from '../plan/cost.ts';
import type { Upstream } from '../rest/client/client.ts';
import type { RateLimits } from '../shared-state/rate-limits.ts';
import type { SharedState } from '../shared-state/shared-state.ts';
import {
  answerInParts,
  answerOf,
  written,
  type WrittenAnswer,
} from '../operation/result/answer.ts';
import { useCompression } from './carriers/compression.plugin.ts';
import { createTranslate, translated } from '../operation/result/errors.ts';
import { useIncrementalDelivery } from './carriers/incremental.plugin.ts';
import { CLIENT_NAME_HEADERS, CLIENT_VERSION_HEADERS } from '../operation/request/caller.ts';
import type { MediaType } from '../operation/result/negotiation.ts';
import { refusalResponse } from '../operation/refusal.ts';
import { useServerTiming } from './carriers/server-timing.plugin.ts';
import { useValidators } from './carriers/validators.plugin.ts';
import { useCors } from './carriers/cors.plugin.ts';
import { createPlainLane } from './carriers/plain-lane.ts';
import { useRequests } from './carriers/request.plugin.ts';
import { useResponses } from './carriers/response.plugin.ts';
import { createWebSocketCarrier, type WebSocketOptions } from './carriers/web-socket.ts';
import { createForwarding } from '../operation/request/forwarding.ts';
import { useDocumentLimits } from './policies/document-limits.plugin.ts';
import type { DocumentLimits } from '../documents/document-limits.ts';
import { Documents, type IntrospectionAudience } from '../documents/documents.ts';
import { useTrustedDocuments } from './policies/trusted-documents.plugin.ts';
import { sha256 } from '../documents/manifest.ts';
import {
  TrustedDocuments,
  type TrustedDocument,
  type TrustedObserver,
} from '../documents/trusted-documents.ts';
import type {
  ChosenDocument,
  GatewayPlugin,
  OperationContext,
  ServerContext,
} from '../operation/gateway-plugin.ts';
import { createExplorer, type Explorer } from './http/explorer.ts';
import type { Site } from './http/site.ts';
import { subscriptionLog, useLog } from '../observe/logs/log.plugin.ts';
import { silentLogger, type Logger } from '../observe/logs/logger.ts';
import { useMetrics } from '../observe/metrics/metrics.plugin.ts';
import { Metrics } from '../observe/metrics/metrics.ts';
import { wantsOpenMetrics } from '../observe/metrics/open-metrics.ts';
import { hasValue } from '../observe/outcome.ts';
import { useTraces } from '../observe/traces/traces.plugin.ts';
import type { OperationTracer } from '../operation/request/trace-context.ts';
import { Readiness } from '../observe/readiness.ts';
import { Requests } from '../observe/requests.ts';
import { createAdmit, useAdmission } from './policies/admission.plugin.ts';
import { useApiKey } from './policies/api-key.plugin.ts';
import { costExtensions, useBudget, type ExplainAudience } from './policies/budget.plugin.ts';
import {
  useConsistency,
  useExposedHeaders,
  useForwardedHeaders,
} from './carriers/headers.plugin.ts';
import { useExecution } from './policies/execution.plugin.ts';
import { createExecution, type RequestLimits } from './policies/execution.ts';
import { useOperationKind } from './policies/operation-kind.plugin.ts';
import { createRecord, type RequestRecord } from '../operation/request/request-record.ts';
import { useRateLimit } from './policies/rate-limit.plugin.ts';
import { useSubscriptions } from './policies/subscriptions.plugin.ts';
import { driftReport } from '../drift/drift-report.ts';
import { Drift } from '../drift/drift.ts';
import { sumDrift } from '../drift/sum-drift.ts';
import { sumUsage } from '../usage/sum-usage.ts';
import { useUsage } from '../usage/usage.plugin.ts';
import { Usage } from '../usage/usage.ts';
import { Subscriptions } from '../operation/result/subscriptions.ts';

export interface GatewayOptions {
  readonly schema: GraphQLSchema;
  readonly upstream: Upstream;
  /** By which subscriptions poll and end; the upstream's too. @default the system's */
  readonly clock?: Clock;
  /** Sent for callers who send no key. */
  readonly apiKey?: string | undefined;
  /** @default none */
  readonly headers?: HeaderOptions;
  readonly http: GatewayHttpOptions;
  readonly limits: RequestLimits;
  readonly documents: GatewayDocumentsOptions;
  readonly live: LiveOptions;
  readonly tools: ToolsOptions;
  /** What replicas share; closed by who has opened it. @default nothing */
  readonly shared?: Pick<SharedState, 'leases'> | undefined;
  /** How many REST calls a key may make. @default as many as it likes */
  readonly rateLimits?: RateLimits | undefined;
  /** GraphiQL's build and what its page begins with. @default none: a page says that it was not built */
  readonly explorer?: ExplorerOptions | undefined;
  /** @default silence */
  readonly logger?: Logger;
  /** Operations that take longer, in milliseconds, are logged with their calls. @default none */
  readonly logSlowMs?: number | undefined;
  readonly metrics?: Metrics;
  /** Asks all workers for what each has counted. @default this process alone */
  readonly gather?: Gather | undefined;
  /** Records traces. @default none */
  readonly tracer?: OperationTracer | undefined;
  /** What executes operations. @default the gateway's own executor */
  readonly execute?: Execute | undefined;
  /** Changes the gateway's own list of plugins, by their names. @default all of them */
  readonly arrange?: (
    plugins: Readonly<Record<string, GatewayPlugin>>,
  ) => Readonly<Record<string, GatewayPlugin>>;
  /** Routes beside `/graphql`, each opened with the door to what is behind it. @default none */
  readonly carriers?: Readonly<Record<string, (door: Door) => Route>> | undefined;
  /** Plugins of the operator's, after ours. @default none */
  readonly plugins?: readonly GatewayPlugin[];
}

/** @param tell what this process knows by the name. @returns what asks for that of each process. */
export type Gather = <Told>(
  name: string,
  tell: () => Told | Promise<Told>,
) => () => Promise<readonly Told[]>;

/** Names of headers, in lower case. */
export interface HeaderOptions {
  /** Of callers, for the backend. @default none */
  readonly forward?: readonly string[];
  /** Of the backend, for callers: those that the upstream exposes. @default none */
  readonly expose?: readonly string[];
}

export interface GatewayHttpOptions {
  /** Where `admin` alone serves metrics and the details of readiness; undefined: `/graphql` has them beside it. */
  readonly adminPort: number | undefined;
  /** What the paths of callers begin with; the server has taken it off. @default nothing */
  readonly basePath?: string;
  /** Origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  /** The largest message of a WebSocket that is read. */
  readonly maxBodyBytes: number;
}

export interface GatewayDocumentsOptions {
  /** Where trusted documents are; undefined for none. */
  readonly folder: string | undefined;
  /** Whether every other document is refused. */
  readonly only: boolean;
  /** For how long caches may reuse answers to trusted documents by GET without asking, in seconds. */
  readonly cacheMaxAge: number;
  /** How often the folder is looked at, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
  /** @default all of them */
  readonly limits?: Partial<DocumentLimits>;
}

export interface LiveOptions extends WebSocketOptions {
  /** The least and the most time between two polls of an object, in milliseconds. */
  readonly pollMs: PollRange;
  /** Subscriptions that one key may have open. */
  readonly maxPerKey: number;
  /** After how long without an event the last one is repeated, in milliseconds. @default 20,000 */
  readonly heartbeatMs?: number | undefined;
}

export interface ToolsOptions {
  /** False: browsers get a sentence instead of GraphiQL. */
  readonly graphiql: boolean;
  readonly introspection: IntrospectionAudience;
  /** Who may see what a request costs: all callers, those who bring a key, or none. */
  readonly explain: ExplainAudience;
}

interface ExplorerOptions {
  readonly folder: string;
  /** The key the page sends until its user enters another. */
  readonly apiKey?: string | undefined;
  /** The page that the first query is about. */
  readonly pageId?: string | undefined;
  /** The recordings that answer instead of a backend. */
  readonly replays?: readonly string[] | undefined;
}

export interface Gateway extends Site {
  readonly metrics: Metrics;
  /** Counts where the backend departs from its document; the upstream's observer passes each answer to it. */
  readonly drift: Drift;
  /** Watches objects for subscriptions and for mutations that wait. */
  readonly pollers: Pollers;
  /** The operators' routes, for a port of their own. */
  readonly admin: Site;
  /**
   * Reads what must be there before the first request, such as trusted documents.
   *
   * @throws {TrustedDocumentsError} for a bad file among them.
   */
  open(): Promise<void>;
  /** Ends what `open` began. */
  close(): void;
  /** Answers any request; never rejects. */
  fetch(request: Request): Promise<Response>;
}

/** What a carrier with a path of its own gets: its operations pass the list of plugins like all others. */
export interface Door {
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** Origins whose pages may ask, beside those of this very host. */
  readonly corsOrigins: readonly string[];
  /** Parses and validates a document of the operator's within the limits, and works out its least cost. */
  readonly prepare: (text: string) => TrustedDocument;
  /** Answers an operation with one result; never rejects. */
  readonly run: (
    operation: { readonly document: ChosenDocument; readonly variables: unknown },
    request: Request,
    record: RequestRecord,
  ) => Promise<ExecutionResult>;
}

export type Route = (request: Request, record: RequestRecord) => Promise<Response>;
type Routes = Readonly<Record<string, Route>>;

export function createGateway(options: GatewayOptions): Gateway {
  const {
    schema,
    upstream,
    clock = systemClock,
    logger = silentLogger(),
    metrics = new Metrics(),
    http: { adminPort, basePath = '', corsOrigins, maxBodyBytes },
    headers: { forward = [], expose = [] } = {},
    live,
    tools: { introspection, explain },
    arrange = (plugins) => plugins,
    gather = (_name, tell) => async () => [await tell()],
    plugins: own = [],
  } = options;
  assertExecutable(schema);
  const pollers = new Pollers({
    ...{ upstream, clock, pollMs: live.pollMs, timeoutMs: options.limits.requestTimeoutMs },
    observer: metrics.live,
    leases: options.shared?.leases,
  });
  const subscriptions = new Subscriptions(live.maxPerKey, clock);
  const documents = new Documents({ limits: options.documents.limits, introspection });
  const execution = createExecution({
    ...{ upstream, limits: options.limits, pollers, execute: options.execute },
    suggestions: introspection === 'on',
  });
  const admit = createAdmit((apiKey) => upstream.isAccepted(apiKey));
  const translate = createTranslate({
    suggestions: introspection === 'on',
    routes: explain !== 'off',
  });
  const trusted = trustedDocuments(options.documents);
  const log = subscriptionLog(logger);
  const forwarding = createForwarding(forward);
  const varying = upstream.keepsAnswers ? [...forward, 'x-consistency'] : forward;

  const usage = adminPort === undefined ? undefined : new Usage(schema);
  const drift = new Drift({ onDeparture: (route, kind) => metrics.drift(route, kind) });

  const list = {
    traces: useTraces(options.tracer), // one span an operation, one an attempt of a call
    log: useLog(logger, options.logSlowMs), // one line an operation
    metrics: useMetrics(metrics), // what is counted of it
    requests: useRequests(), // methods, media types, forms of foreign pages, parameters
    trustedDocuments: useTrustedDocuments(trusted), // ids of documents that apps were built with
    documentLimits: useDocumentLimits(documents), // measured before they are validated
    operationKind: useOperationKind(), // no mutation by GET, no subscription where one answer is wanted
    forwardedHeaders: useForwardedHeaders(forward), // so much of them
    apiKey: useApiKey(options.apiKey, introspection), // before a document costs more than parsing
    budget: useBudget(execution.budget, explain), // the plan, or the refusal of what costs too much
    usage: useUsage(usage), // what is asked for, where operators can read it
    execution: useExecution(execution), // our executor, with loaders and calls of this request
    admission: useAdmission(admit), // so many of a key at a time
    // @defer and @stream, in both formats
    incremental: useIncrementalDelivery({ translate, lastExtensions }),
    // So many of a key, and an answer to each event.
    subscriptions: useSubscriptions({
      ...{ execution, admit, subscriptions, translate, explain, heartbeatMs: live.heartbeatMs },
      tracer: options.tracer,
      observer: {
        onResult: (kind, result, record) => {
          metrics.live.onResult?.(kind, result, record);
          log.onResult(kind, result, record);
        },
        onEnd: (cause, record) => {
          metrics.live.onEnd?.(cause, record);
          log.onEnd(cause, record);
        },
      },
    }),
    // So many calls of a key: outermost, so that what is refused here takes no place.
    ...(options.rateLimits && { rateLimit: useRateLimit(options.rateLimits) }),
    serverTiming: useServerTiming(explain), // calls and rounds, as a header
    validators: useValidators(options.documents.cacheMaxAge, varying), // ETag and 304
    compression: useCompression(), // after the tag of what is compressed
    exposedHeaders: useExposedHeaders(expose), // of the backend's answers
    consistency: useConsistency(), // the token of a write
    cors: useCors(corsOrigins, expose), // which pages may read answers
    responses: useResponses(write), // what Yoga writes
  };
  const plugins: GatewayPlugin[] = [...Object.values(arrange(list)), ...own];
  const yoga = createYoga<ServerContext, OperationContext>({
    schema,
    plugins,
    // Our words and a code, for every error; what a mask hides is logged with its request.
    maskedErrors: { maskError: translate },
    logging: false,
    parserAndValidationCache: documents.caches,
    extraParamNames: ['documentId', 'onError'],
    // The HTTP server serves GraphiQL, and bounds bodies while it reads them: Yoga's way costs more than all
    // else it does.
    graphiql: false,
    maxRequestBodySize: false,
    // Yoga answers every URL with this ending, also in a query string, with an empty 200.
    healthCheckEndpoint: NO_URL_ENDS_LIKE_THIS,
    cors: false,
    multipart: false,
    landingPage: false,
  });
  const answering = plugins.filter(({ onAnswer }) => onAnswer);
  const answered = plugins.filter(({ onAnswered }) => onAnswered);

  const readiness = new Readiness(upstream.breaker, trusted);
  const requests = new Requests((status, context) => {
    for (const plugin of answered) plugin.onAnswered?.({ status }, context);
  });
  metrics.watch({ requests, breaker: upstream.breaker, readiness, pollers, subscriptions });

  // Hooks of HTTP want requests and responses of the Fetch API.
  const lane = own.some(hasHttpHook)
    ? undefined
    : createPlainLane({
        yoga,
        forwarding,
        refused: (error) => ({ errors: [translate(error)] }),
        write,
      });
  const upgrade = createWebSocketCarrier({
    ...live,
    ...{ yoga, translate, forwarding, requests, subscriptions, corsOrigins, maxBodyBytes },
  });

  const health = forGet(async () => Response.json({ status: 'alive' }));
  const adminRoutes: Routes = {
    '/health': health,
    '/ready': forGet(async () => ready(true)),
    '/metrics': forGet(async ({ headers }) => {
      const { text, contentType } = await metrics.read(wantsOpenMetrics(headers.get('accept')));
      return new Response(text, { headers: { 'content-type': contentType } });
    }),
    ...(usage && countsOf(usage)),
  };
  const door: Door = {
    schema,
    logger,
    corsOrigins,
    prepare: (text) => ({ text, hash: sha256(text), ...prepareDocument(text) }),
    run,
  };
  const carriers = Object.entries(options.carriers ?? {}).map(([path, open]) => [path, open(door)]);
  const site = siteOf(
    {
      '/graphql': graphql,
      ...(Object.fromEntries(carriers) as Routes),
      ...(adminPort === undefined
        ? adminRoutes
        : { '/health': health, '/ready': forGet(async () => ready(false)) }),
    },
    basePath,
  );
  return {
    ...site,
    metrics,
    drift,
    pollers,
    explorer: explorerOf(options),
    answerPlain: (request, record) => {
      const plain = lane?.(request, record);
      return plain && requests.run(plain.context, plain.answer);
    },
    upgrade,
    admin: siteOf(adminRoutes),
    open: async () => trusted?.open(),
    close: () => trusted?.close(),
    fetch: (request) => {
      const record = createRecord(request.headers.get('x-request-id'));
      if (request.signal.aborted) record.leaving.cancel();
      else request.signal.addEventListener('abort', () => record.leaving.cancel());
      return site.answer(request, record);
    },
  };

  /** What an answer in parts has cost, for its last part. */
  function lastExtensions(context: ServerContext) {
    const cost = costExtensions(context, explain);
    return cost && { upstream: { ...cost.upstream, budget: execution.budget } };
  }

  /** A result as it goes over HTTP, after all plugins have seen it. */
  async function write(
    executed: ExecutionResult,
    mediaType: MediaType,
    context: ServerContext,
  ): Promise<WrittenAnswer> {
    const { record, parts } = context;
    // Errors of validation, and of plugins, come here as they are.
    const result = translated(executed, translate);
    record.errors = result.errors;
    record.hasData = hasValue(result.data);
    const answer = parts ? answerInParts(parts) : answerOf(result, mediaType);
    for (const plugin of answering) {
      const changed = plugin.onAnswer?.(answer, context);
      if (changed) await changed;
    }
    answer.headers.push('x-request-id', record.requestId);
    const sent = written(answer);
    record.bytes = sent.bytes?.length ?? Buffer.byteLength(sent.text);
    return sent;
  }

  function contextOf(request: Request, record: RequestRecord): ServerContext {
    const { method, headers } = request;
    const accept = headers.get('accept');
    return {
      record,
      caller: {
        method,
        apiKey: headers.get(API_KEY_HEADER),
        forwarded: forwarding?.read((name) => headers.get(name)),
        explain: headers.get('x-explain'),
        consistency: headers.get('x-consistency'),
        accept,
        acceptEncoding: headers.get('accept-encoding'),
        ifNoneMatch: headers.get('if-none-match'),
        origin: headers.get('origin'),
        traceparent: headers.get('traceparent'),
        tracestate: headers.get('tracestate'),
        clientName: oneOf(headers, CLIENT_NAME_HEADERS),
        clientVersion: oneOf(headers, CLIENT_VERSION_HEADERS),
        // Only by name: a caller that accepts anything does not expect a stream.
        streams: accept !== null && /\btext\/event-stream\b/i.test(accept),
        onlySubscriptions: false,
      },
    };
  }

  /** One answer to an operation of a carrier that writes it by itself. */
  async function run(...[{ document, variables }, request, record]: Parameters<Door['run']>) {
    const { caller, ...rest } = contextOf(request, record);
    // What the carrier accepts is not what GraphQL over HTTP would.
    const context = {
      ...rest,
      chosen: document,
      caller: { ...caller, accept: null, streams: false },
    };
    const params = { query: document.text, variables } as GraphQLParams;
    const { result } = await requests.run(context, async () => {
      let executed: ExecutionResult;
      try {
        executed = (await yoga.getResultForParams({ params, request }, context)) as ExecutionResult;
      } catch (error) {
        executed = { errors: [translate(error)] };
      }
      const result = translated(executed, translate);
      record.errors = result.errors;
      record.hasData = hasValue(result.data);
      return { status: 200, result };
    });
    return result;
  }

  /** Requests that are not plain. */
  async function graphql(request: Request, record: RequestRecord): Promise<Response> {
    const context = contextOf(request, record);
    // A preflight is no operation.
    if (request.method === 'OPTIONS') return yoga.handleRequest(request, context);
    return requests.run(context, async () => yoga.handleRequest(request, context as never));
  }

  function trustedDocuments({
    folder,
    ...given
  }: GatewayDocumentsOptions): TrustedDocuments | undefined {
    if (folder === undefined) return undefined;
    return new TrustedDocuments({ ...given, folder }, prepareDocument, trustedObserver(logger));
  }

  function prepareDocument(text: string) {
    const prepared = documents.prepare(schema, text);
    const { document, errors } = prepared;
    if (errors.length === 0 && 'kind' in document) {
      prepareCost(document);
      usage?.prepare(document);
    }
    return prepared;
  }

  function countsOf(counted: Usage): Routes {
    const { usesOf } = counted;
    const usages = gather('usage', () => counted.report());
    const drifts = gather('drift', () =>
      driftReport(drift, { schema, usesOf, trusted: trusted?.all ?? new Map() }),
    );
    return {
      '/usage': forGet(async () => Response.json(sumUsage(await usages()))),
      '/drift': forGet(async () => Response.json(sumDrift(await drifts()))),
    };
  }

  function ready(withDetails: boolean): Response {
    const report = readiness.report();
    const body = withDetails
      ? { ...report, routes: options.upstream.routes() }
      : { ready: report.ready };
    return Response.json(body, { status: report.ready ? 200 : 503 });
  }

  function siteOf(routes: Routes, below = ''): Site {
    const paths = Object.keys(routes).map((path) => below + path);
    const notFound = () =>
      refusalResponse(404, 'NOT_FOUND', `Nothing is here: ask for ${paths.join(', ')}.`);
    return {
      readiness,
      logger,
      subscriptions,
      Request: yoga.fetchAPI.Request,
      upgrade: notFound,
      answer: async (request, record) => {
        const route = routes[new URL(request.url).pathname] ?? (async () => notFound());
        const response = await route(request, record).catch((error: unknown) => {
          logger.error({ err: error, requestId: record.requestId }, 'Request failed unexpectedly');
          return refusalResponse(500, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
        });
        response.headers.set('x-request-id', record.requestId);
        return response;
      },
      idle: () => requests.idle(),
    };
  }
}

const NO_URL_ENDS_LIKE_THIS = '\n';

const hasHttpHook = ({
  onRequest,
  onRequestParse,
  onResultProcess,
  onResponse,
}: GatewayPlugin): boolean =>
  [onRequest, onRequestParse, onResultProcess, onResponse].some(Boolean);

const oneOf = (headers: Headers, [first, second]: readonly [string, string]): string | null =>
  headers.get(first) ?? headers.get(second);

const forGet =
  (answer: (request: Request) => Promise<Response>): Route =>
  async (request) => {
    const { method, url } = request;
    if (method === 'GET' || method === 'HEAD') return answer(request);
    return refusalResponse(405, 'METHOD_NOT_ALLOWED', `Ask ${new URL(url).pathname} with GET.`);
  };

/** GraphiQL, or the page that says why it is not here. */
function explorerOf(options: GatewayOptions): Explorer {
  const { schema, tools, http } = options;
  const { graphiql, introspection, explain } = tools;
  if (!graphiql) return createExplorer(undefined, undefined, http.basePath);
  const { folder, ...example } = options.explorer ?? {};
  const settings = () => ({
    ...{ introspection, explain, needsKey: options.apiKey === undefined },
    ...(introspection !== 'off' && { schemaId: schemaIdOf(schema) }),
    ...example,
  });
  return createExplorer(folder, settings, http.basePath);
}

/** Changes with the schema, and so with what is known of the backend's objects. */
export const schemaIdOf = (schema: GraphQLSchema): string =>
  createHash('sha256').update(printSchema(schema)).digest('base64url');

const trustedObserver = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: the last good set is served'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});
