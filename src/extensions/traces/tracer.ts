/**
 * Traces by OpenTelemetry's SDK, exported by OTLP over HTTP. Its exporter, batch processor, sampler and span limits
 * read the environment themselves.
 *
 * Spans of an operation: a server span, a client span per sent attempt, and spans of phases. Reads without a call are
 * events. They get their attributes at the end, from the call log, and contain no keys, variables, ids or headers; routes
 * are templates. Source: OpenTelemetry semantic conventions.
 */
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as api,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type TimeInput,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { GraphQLError } from 'graphql';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CallLog, CallLogEntry, SpanRef } from '../../rest/call/call-log.ts';
import {
  parentOf,
  traceHeaders,
  traceStateOf,
  type OperationTrace,
  type ParentSpan,
} from '../../gateway/operation/trace-context.ts';
import type { OptionsOf } from '../../gateway/extension.ts';
import { orUndefined } from '../../lib/or-undefined.ts';
import type { Operation, PhaseTime } from '../../gateway/operation/operation.ts';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import type { settings } from './traces.settings.ts';

/** Records traces. Unrecorded requests cost only the sampling decision. */
export type OperationTracer = ReturnType<typeof openTracer>;

/** `url`: that of the collector, with path. */
interface TracerOptions extends OptionsOf<typeof settings> {
  /** `https://api.example.com`; empty for recordings. */
  readonly backend: string;
  readonly version: string;
  readonly logger: Logger;
}

export const CLOSE_MS = 2_000;

export const FAILURE_LOG_INTERVAL_MS = 60_000;

export interface RecordedTrace extends OperationTrace {
  readonly server: Span;
  /** Spans of attempts, by their ids. */
  readonly calls: ReadonlyMap<string, Span>;
  readonly start: StartSpan;
}

export function openTracer(options: TracerOptions) {
  const { url, protocol, resourceAttributes, backend, version, logger } = options;
  const address = serverOf(backend);
  logSetupWarnings(logger);
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const processor = new BatchSpanProcessor(new Exporter({ url }));
  const provider = {
    resource: resourceOf(version, resourceAttributes, logger),
    spanProcessors: [processor],
  };
  const name = 'content-pages-gateway';
  const sampling = new BasicTracerProvider(provider).getTracer(name, version);
  // Inside of recorded traces.
  const sampler = new AlwaysOnSampler();
  const recording = new BasicTracerProvider({ ...provider, sampler }).getTracer(name, version);
  logExportFailures(logger);

  /** @param isRandom whether the trace's id is random; the SDK sets the flag of sampling alone. */
  const traceOf = (server: Span, isRandom: boolean, state?: string): RecordedTrace => {
    const span = server.spanContext();
    if (isRandom) span.traceFlags |= RANDOM;
    const inside = api.setSpan(ROOT_CONTEXT, server);
    const start: StartSpan = (spanName, spanOptions) => {
      const child = recording.startSpan(spanName, spanOptions, inside);
      if (isRandom) child.spanContext().traceFlags |= RANDOM;
      return child;
    };
    const calls = new Map<string, Span>();
    return {
      ...{ span, server, calls, start },
      forwarded: [],
      begin: (startMs) => {
        const call = start('', { kind: SpanKind.CLIENT, startTime: timeOf(startMs) });
        const { traceId, spanId, traceFlags } = call.spanContext();
        calls.set(spanId, call);
        const headers = traceHeaders(`00-${traceId}-${spanId}-0${traceFlags}`, state);
        return { span: { traceId, spanId }, headers };
      },
    };
  };

  return {
    /** Returns undefined if the trace is not sampled. */
    begin: (operation: Operation): RecordedTrace | undefined => {
      const parent = parentOf(operation.header('traceparent'));
      const state = parent && traceStateOf(operation);
      const startTime = timeOf(operation.arrival.startedMs);
      const context = contextBelow(parent, state);
      const server = sampling.startSpan('', { kind: SpanKind.SERVER, startTime }, context);
      // An id that is generated here is random.
      return server.isRecording() ? traceOf(server, parent?.isRandom ?? true, state) : undefined;
    },
    /** Starts a separate trace of a subscription's event, linked to the subscription. */
    beginEvent: ({ span }: OperationTrace): RecordedTrace => {
      const startTime = timeOf(performance.now());
      const links = [{ context: contextOf(span) }];
      const options = { kind: SpanKind.SERVER, startTime, links };
      return traceOf(recording.startSpan('', options, ROOT_CONTEXT), true);
    },
    end: ({ server: span, calls, start }: RecordedTrace, ended: EndedOperation): void => {
      const endMs = performance.now();
      const { callLog } = ended;
      // The response is written first.
      setImmediate(() => {
        endServerSpan(span, ended, endMs);
        for (const phase of ended.phases) recordPhase(start, phase);
        for (const entry of callLog?.entries ?? []) {
          const call = entry.source === 'sent' && calls.get(entry.span!.spanId);
          if (call) endClientSpan(call, entry, callLog!.beganMs, endMs, address);
        }
      });
    },
    /** Flushes; resolves within two seconds. */
    close: async (): Promise<void> => {
      const timeout = sleep(CLOSE_MS, undefined, { ref: false });
      // Spans of the last operations are created in the next turn.
      await nextTurn();
      // Rejects if the collector is unreachable.
      await Promise.race([processor.shutdown().catch(() => {}), timeout]);
    },
  };
}

/** The context of a span of a request. */
function contextBelow(parent: ParentSpan | undefined, state?: string): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  return api.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  });
}

/** Source: W3C Trace Context Level 2, "Random Trace ID Flag". */
const RANDOM = 2;

const silent = (): void => {};

/** Logs each message of the libraries about the environment once, except for URLs, which may contain a password. */
function logSetupWarnings(logger: Logger): void {
  const logged = new Set<string>();
  const logOnce = (message: string): void => {
    if (logged.has(message) || message.includes('://')) return;
    logged.add(message);
    logger.warn(`OpenTelemetry: ${message}`);
  };
  setDiagnostics(logOnce, logOnce);
}

/** Messages about exports are not logged, since they may contain the collector's address and headers. */
function logExportFailures(logger: Logger): void {
  let loggedMs = -Infinity;
  setDiagnostics(() => {
    if (performance.now() - loggedMs < FAILURE_LOG_INTERVAL_MS) return;
    loggedMs = performance.now();
    logger.warn('Traces cannot be exported. Check the collector at OTEL_EXPORTER_OTLP_ENDPOINT.');
  }, silent);
}

function setDiagnostics(error: (message: string) => void, warn: (message: string) => void): void {
  diag.setLogger(
    { error, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Maximum length of a name or value. Source: `envDetector`. */
const MAX_LENGTH = 255;

/**
 * `envDetector` silently ignores all attributes if one is invalid, so they are read here, and invalid ones are logged.
 */
function resourceOf(version: string, attributes: string, logger: Logger): Resource {
  const pairs = attributes.split(',').filter((text) => text.trim() !== '');
  const read = pairs.map((text) => ({ text: text.trim(), pair: pairOf(text) }));
  const bad = read.flatMap(({ text, pair }) => (pair ? [] : JSON.stringify(text.slice(0, 100))));
  if (bad.length > 0) {
    logger.warn(
      `OTEL_RESOURCE_ATTRIBUTES must be comma-separated pairs such as region=eu, with "," and "=" in values percent-encoded, of at most ${MAX_LENGTH} characters each. Ignored: ${bad.join(', ')}`,
    );
  }
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'graphql-gateway',
        'service.version': version,
        ...Object.fromEntries(read.flatMap(({ pair }) => (pair ? [pair] : []))),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Undefined for anything but a name and a value. */
function pairOf(text: string): [name: string, value: string] | undefined {
  const parts = text.split('=').map((part) => orUndefined(() => decodeURIComponent(part.trim())));
  const [name, value] = parts;
  if (parts.length !== 2 || !name || value === undefined) return undefined;
  return Math.max(name.length, value.length) <= MAX_LENGTH ? [name, value] : undefined;
}

/** An ended operation, or an ended event of a subscription. */
interface EndedOperation {
  readonly operation: Operation;
  readonly status?: number;
  readonly errors: readonly GraphQLError[];
  /** Whether the gateway or the backend caused the missing data. */
  readonly isFailed: boolean;
  /** Phases other than calls. */
  readonly phases: readonly PhaseTime[];
  readonly callLog: CallLog | undefined;
}

type StartSpan = Tracer['startSpan'];

/** Minimum duration of a recorded phase, in milliseconds. */
const SHORTEST_PHASE_MS = 0.1;

const MAX_ERRORS = 10;

function endServerSpan(
  span: Span,
  { operation, status, errors, isFailed, callLog }: EndedOperation,
  endMs: number,
): void {
  const { operationType = 'none', operationName, app, method } = operation;
  const document = operation.document?.hash;
  // Names chosen by callers are not used, since span names must be bounded.
  const name =
    document === undefined || operationName === undefined
      ? operationType
      : `${operationType} ${operationName}`;
  const withoutCall = (callLog?.entries ?? []).filter(({ source }) => source !== 'sent');
  span.updateName(name);
  span.setAttributes({
    ...(method !== undefined && { 'http.request.method': method }),
    'http.route': operation.transport.path ?? '/graphql',
    ...(status !== undefined && { 'http.response.status_code': status }),
    'graphql.operation.type': operationType,
    ...(operationName !== undefined && { 'graphql.operation.name': operationName }),
    ...(document !== undefined && { 'graphql.document.sha256': document }),
    ...(app && { 'app.name': app.app, 'app.version': app.version }),
    'gateway.calls': callLog?.calls ?? 0,
    'gateway.rounds': callLog?.rounds ?? 0,
  });
  for (const entry of withoutCall) addRead(span, entry, callLog!.beganMs);
  const codes = errors
    .slice(0, MAX_ERRORS)
    .map(({ extensions = {} }) => String(extensions['code']));
  for (const code of codes) span.addEvent('graphql.error', { 'error.type': code }, timeOf(endMs));
  end(span, endMs, isFailed ? (codes[0] ?? 'INTERNAL_SERVER_ERROR') : undefined);
}

/** Adds an event for a read without a call (shared, primed, cached or unsent), and a link to the call that it shared. */
function addRead(
  to: Span,
  { route, source, span, startMs, failure }: CallLogEntry,
  beganMs: number,
): void {
  if (span) to.addLink({ context: contextOf(span) });
  to.addEvent(
    `${source} ${route.method} ${route.path}`,
    {
      'http.request.method': route.method,
      'url.template': route.path,
      'gateway.source': source,
      ...(span && { 'link.trace_id': span.traceId, 'link.span_id': span.spanId }),
      ...(failure !== undefined && { 'error.type': failure }),
    },
    timeOf(beganMs + startMs),
  );
}

/** Attributes of the backend. @param origin empty for recordings. */
function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  const { hostname, port, protocol } = new URL(origin);
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || ownPort };
}

function endClientSpan(
  span: Span,
  { route, endMs, status, failure, attempt, ahead }: CallLogEntry,
  beganMs: number,
  atMs: number,
  server: Attributes,
): void {
  const error = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  span.updateName(`${route.method} ${route.path}`);
  span.setAttributes({
    ...server,
    'http.request.method': route.method,
    'url.template': route.path,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    ...(ahead && { 'gateway.ahead': ahead }),
  });
  // An attempt may still be in flight after its last caller has disconnected.
  if (endMs === undefined) end(span, atMs, 'cancelled');
  else end(span, beganMs + endMs, error);
}

function recordPhase(start: StartSpan, { name, startMs, endMs }: PhaseTime): void {
  if (endMs - startMs < SHORTEST_PHASE_MS) return;
  end(start(name, { startTime: timeOf(startMs) }), endMs);
}

/** @param error `error.type`; undefined for a success. */
function end(span: Span, endMs: number, error?: string): void {
  if (error !== undefined) {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(timeOf(endMs));
}

const contextOf = ({ traceId, spanId }: SpanRef) => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});

/** Converts a time of `performance.now()` to seconds and nanoseconds since 1970. */
function timeOf(ms: number): TimeInput {
  const sinceEpochMs = performance.timeOrigin + ms;
  const seconds = Math.floor(sinceEpochMs / 1_000);
  return [seconds, Math.round((sinceEpochMs - seconds * 1_000) * 1e6)];
}
