/**
 * Traces by OpenTelemetry's SDK, exported by OTLP over HTTP. Its exporter, batch processor, sampler and span limits
 * read the environment themselves. Spans are created at the end of an operation from its call log, with the ids sent to
 * the backend.
 */
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  trace as api,
  TraceFlags,
  type Context,
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
  RandomIdGenerator,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-base';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { SpanRef } from '../../rest/call/call-log.ts';
import {
  parentOf,
  traceHeaders,
  traceStateOf,
  type OperationTrace,
  type ParentSpan,
  type TraceSource,
} from '../../gateway/operation/trace-context.ts';
import type { OptionsOf } from '../../gateway/extension.ts';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import {
  contextOf,
  recordClientSpan,
  recordPhase,
  recordServerSpan,
  serverOf,
  type EndedOperation,
  type RecordedTrace,
  type StartSpan,
} from './spans.ts';
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

/** Generates known ids for spans that have some already, and random ones for others. */
class KnownIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  known: SpanRef | undefined;

  generateTraceId = (): string => this.known?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.known?.spanId ?? this.#random.generateSpanId();
}

export function openTracer(options: TracerOptions) {
  const { url, protocol, resourceAttributes, backend, version, logger } = options;
  const server = serverOf(backend);
  const ids = new KnownIds();
  logSetupWarnings(logger);
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const provider = new BasicTracerProvider({
    resource: resourceOf(version, resourceAttributes, logger),
    // Sampling was decided at the arrival of the request.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new Exporter({ url }))],
  });
  const tracer = provider.getTracer('content-pages-gateway', version);
  // The sampler of the environment is decided by spans that are never exported.
  const sampling = new BasicTracerProvider({ idGenerator: ids }).getTracer('sampling');
  logExportFailures(logger);

  const isSampled = (span: SpanRef, parent: ParentSpan | undefined): boolean => {
    ids.known = span;
    const decided = sampling.startSpan('', { kind: SpanKind.SERVER }, contextBelow(parent));
    ids.known = undefined;
    return decided.isRecording();
  };

  const recordTrace = (
    span: SpanRef,
    parent: ParentSpan | undefined,
    state: string | undefined,
    linked?: SpanRef,
  ): RecordedTrace => {
    const { traceId } = span;
    const flags = hasRandomId(parent) ? '03' : '01';
    return {
      ...{ span, parent, state, linked },
      forwarded: [],
      begin: () => {
        const call = { traceId, spanId: ids.generateSpanId() };
        return {
          span: call,
          headers: traceHeaders(`00-${traceId}-${call.spanId}-${flags}`, state),
        };
      },
    };
  };

  const startIn =
    (context: Context, isRandom: boolean): StartSpan =>
    (spanName, spanOptions, known) => {
      ids.known = known;
      const span = tracer.startSpan(spanName, spanOptions, context);
      ids.known = undefined;
      // The SDK sets the flag of sampling alone.
      if (isRandom) span.spanContext().traceFlags |= RANDOM;
      return span;
    };

  return {
    /** Returns undefined if the trace is not sampled. */
    begin: (caller: TraceSource): RecordedTrace | undefined => {
      const parent = parentOf(caller.header('traceparent'));
      const traceId = parent?.traceId ?? ids.generateTraceId();
      const span = { traceId, spanId: ids.generateSpanId() };
      return isSampled(span, parent)
        ? recordTrace(span, parent, parent && traceStateOf(caller))
        : undefined;
    },
    /** Starts a separate trace of a subscription's event, linked to the subscription. */
    beginEvent: ({ span }: OperationTrace): RecordedTrace => {
      const own = { traceId: ids.generateTraceId(), spanId: ids.generateSpanId() };
      return recordTrace(own, undefined, undefined, span);
    },
    end: (trace: RecordedTrace, ended: EndedOperation): void => {
      const endMs = performance.now();
      const { callLog } = ended;
      // The response is written first.
      setImmediate(() => {
        const { span, parent, state } = trace;
        const isRandom = hasRandomId(parent);
        recordServerSpan(startIn(contextBelow(parent, state), isRandom), trace, ended, endMs);
        const inside = { ...contextOf(span), ...stateOf(state) };
        const start = startIn(api.setSpanContext(ROOT_CONTEXT, inside), isRandom);
        for (const phase of ended.phases) recordPhase(start, phase);
        for (const entry of callLog?.entries ?? []) {
          if (entry.source !== 'sent') continue;
          recordClientSpan(start, entry, callLog!.beganMs, endMs, server);
        }
      });
    },
    /** Flushes; resolves within two seconds. */
    close: async (): Promise<void> => {
      const timeout = sleep(CLOSE_MS, undefined, { ref: false });
      // Spans of the last operations are created in the next turn.
      await nextTurn();
      // Rejects if the collector is unreachable.
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
    },
  };
}

/** An id that is generated here is random. */
const hasRandomId = (parent: ParentSpan | undefined): boolean => parent?.isRandom ?? true;

/** The context of a span of a request. */
function contextBelow(parent: ParentSpan | undefined, state?: string): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  return api.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...stateOf(state),
  });
}

const stateOf = (state: string | undefined) =>
  state === undefined ? {} : { traceState: createTraceState(state) };

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
      resourceFromAttributes({ 'service.name': 'graphql-gateway', 'service.version': version }),
    )
    .merge(
      resourceFromAttributes(Object.fromEntries(read.flatMap(({ pair }) => (pair ? [pair] : [])))),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Undefined for anything but a name and a value. */
function pairOf(text: string): [name: string, value: string] | undefined {
  const parts = text.split('=');
  try {
    const [name = '', value = ''] = parts.map((part) => decodeURIComponent(part.trim()));
    const isPair = parts.length === 2 && name !== '';
    return isPair && Math.max(name.length, value.length) <= MAX_LENGTH ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}
