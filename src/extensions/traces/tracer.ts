/**
 * Traces by OpenTelemetry's SDK, exported by OTLP over HTTP. Loaded only if a collector is configured.
 *
 * The SDK reads the resource from the environment. Spans are created at the end of an operation from its record and
 * call log, with the ids sent to the backend.
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
  type Context,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type Sampler,
  type SpanExporter,
  type SpanLimits,
} from '@opentelemetry/sdk-trace';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { SpanRef } from '../../rest/call/trace.ts';
import {
  parentOf,
  traceHeaders,
  traceStateOf,
  type OperationTrace,
  type ParentSpan,
  type TraceHeaders,
} from '../../gateway/operation/trace-context.ts';
import type { Logger } from '../../gateway/observe/logs/logger.ts';
import {
  clientSpanOf,
  phaseSpansOf,
  serverOf,
  serverSpanOf,
  timeOf,
  type EndedOperation,
  type RecordedTrace,
  type SpanDescription,
} from './spans.ts';

/** Records traces. Unrecorded requests cost only the sampling decision. */
export interface OperationTracer {
  /** Returns undefined if the trace is not sampled. */
  begin(caller: TraceHeaders): RecordedTrace | undefined;
  /** Begins a separate trace of a subscription's event, linked to the subscription. */
  beginEvent(subscription: OperationTrace): RecordedTrace;
  end(trace: RecordedTrace, ended: EndedOperation): void;
  /** Flushes; resolves within two seconds. */
  close(): Promise<void>;
}

export interface TracerOptions {
  /** Value of `OTEL_TRACES_SAMPLER`. */
  readonly sampler: string;
  /** Ratio from 0 to 1, for ratio samplers. */
  readonly ratio: number;
  /** `https://api.example.com`; empty for recordings. */
  readonly backend: string;
  readonly version: string;
  readonly logger: Logger;
  readonly exporting: ExportOptions;
}

/** Export and buffering of spans. Limits have the names and defaults of the SDK. */
export interface ExportOptions extends BatchOptions, Limits {
  /** URL of the collector, with path. */
  readonly url: string;
  readonly protocol: 'http/json' | 'http/protobuf';
  /** In addition to those that the SDK reads from the environment. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  /** PEM of the collector's authorities, and of the client certificate. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

interface BatchOptions {
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
}

/** Undefined for the limit of all attributes. */
interface Limits {
  readonly attributeCountLimit: number;
  readonly attributeValueLengthLimit: number | undefined;
  readonly spanAttributeCountLimit: number | undefined;
  readonly spanAttributeValueLengthLimit: number | undefined;
  readonly eventCountLimit: number;
  readonly linkCountLimit: number;
  readonly attributePerEventCountLimit: number | undefined;
  readonly attributePerLinkCountLimit: number | undefined;
}

/** Timeout of the last export, in milliseconds. */
export const CLOSE_MS = 2_000;

/** Interval of log lines about failed exports, in milliseconds. */
export const COMPLAIN_MS = 60_000;

/** Generates known ids for spans already sent to the backend, and random ones for others. */
class KnownIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  known: SpanRef | undefined;

  generateTraceId = (): string => this.known?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.known?.spanId ?? this.#random.generateSpanId();
}

export function openTracer(options: TracerOptions): OperationTracer {
  const { sampler: name, ratio, backend, version, logger, exporting } = options;
  complainRarely(logger);
  const sampler = samplerOf(name.replace(PARENT_BASED, ''), ratio);
  const isByParent = name.startsWith(PARENT_BASED);
  const server = serverOf(backend);
  const ids = new KnownIds();
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({ 'service.name': 'graphql-gateway', 'service.version': version }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    // Sampling was decided at the arrival of the request.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanLimits: spanLimitsOf(exporting),
    spanProcessors: [new BatchSpanProcessor({ ...exporting, exporter: exporterOf(exporting) })],
  });
  const tracer = provider.getTracer('content-pages-gateway', version);

  const recorded = (
    traceId: string,
    parent: ParentSpan | undefined,
    state: string | undefined,
    linked?: SpanRef,
  ): RecordedTrace => {
    // An id that is generated here is random.
    const isRandom = parent?.isRandom ?? true;
    const flags = isRandom ? '03' : '01';
    return {
      ...{ span: { traceId, spanId: ids.generateSpanId() }, parent, isRandom, state, linked },
      forwarded: [],
      begin: () => {
        const span = { traceId, spanId: ids.generateSpanId() };
        return { span, headers: traceHeaders(`00-${traceId}-${span.spanId}-${flags}`, state) };
      },
    };
  };

  const make = (described: SpanDescription, isRandom: boolean, context: Context): void => {
    const { name: spanName, kind, startMs, endMs, attributes, links = [], events = [] } = described;
    ids.known = described.span;
    const span = tracer.startSpan(
      spanName,
      {
        kind,
        startTime: timeOf(startMs),
        attributes,
        links: links.map((link) => ({ context: contextOf(link) })),
      },
      context,
    );
    ids.known = undefined;
    // The SDK sets the flag of sampling alone.
    if (isRandom) span.spanContext().traceFlags |= RANDOM;
    for (const event of events) span.addEvent(event.name, event.attributes, timeOf(event.atMs));
    if (described.error !== undefined) {
      span.setAttribute('error.type', described.error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(timeOf(endMs));
  };

  return {
    begin: (caller) => {
      const { traceparent } = caller;
      const parent = typeof traceparent === 'string' ? parentOf(traceparent) : undefined;
      const traceId = parent?.traceId ?? ids.generateTraceId();
      // Equivalent to the SDK's parent-based sampler, at a quarter of its cost.
      const isRecorded = parent && isByParent ? parent.isSampled : isSampled(sampler, traceId);
      if (!isRecorded) return undefined;
      return recorded(traceId, parent, parent && traceStateOf(caller));
    },
    beginEvent: ({ span }) => recorded(ids.generateTraceId(), undefined, undefined, span),
    end: (trace, ended) => {
      const endMs = performance.now();
      const { callLog } = ended;
      // The response is written first.
      setImmediate(() => {
        const { span, parent, isRandom } = trace;
        const state =
          trace.state === undefined ? {} : { traceState: createTraceState(trace.state) };
        const outside = parent
          ? api.setSpanContext(ROOT_CONTEXT, { ...parentContextOf(parent), ...state })
          : ROOT_CONTEXT;
        make(serverSpanOf(trace, ended, endMs), isRandom, outside);
        const inside = api.setSpanContext(ROOT_CONTEXT, { ...contextOf(span), ...state });
        for (const phase of phaseSpansOf(ended.phases)) make(phase, isRandom, inside);
        for (const entry of callLog?.entries ?? []) {
          if (entry.source !== 'sent') continue;
          make(clientSpanOf(entry, callLog!.beganMs, endMs, server), isRandom, inside);
        }
      });
    },
    close: async () => {
      const timeout = sleep(CLOSE_MS, undefined, { ref: false });
      // Spans of the last operations are created in the next turn.
      await nextTurn();
      // Rejects if the collector is unreachable.
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
    },
  };
}

function exporterOf(options: ExportOptions): SpanExporter {
  const { url, protocol, headers, timeoutMs, compression, ca, cert, key } = options;
  const agent = { ...(ca && { ca }), ...(cert && { cert, key }) };
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  return new Exporter({
    url,
    timeoutMillis: timeoutMs,
    httpAgentOptions: { keepAlive: true, ...agent },
    ...(headers && { headers }),
    // An enum of an internal package of the SDK with these two values.
    compression: compression as NonNullable<
      ConstructorParameters<typeof JsonExporter>[0]
    >['compression'] & {},
  });
}

function spanLimitsOf(limits: Limits): SpanLimits {
  const { attributeCountLimit: all, eventCountLimit, linkCountLimit } = limits;
  const length = limits.spanAttributeValueLengthLimit ?? limits.attributeValueLengthLimit;
  return {
    eventCountLimit,
    linkCountLimit,
    attributeCountLimit: limits.spanAttributeCountLimit ?? all,
    attributePerEventCountLimit: limits.attributePerEventCountLimit ?? all,
    attributePerLinkCountLimit: limits.attributePerLinkCountLimit ?? all,
    ...(length !== undefined && { attributeValueLengthLimit: length }),
  };
}

const contextOf = ({ traceId, spanId }: SpanRef) => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});

const parentContextOf = ({ traceId, spanId, isSampled }: ParentSpan) => ({
  traceId,
  spanId,
  isRemote: true,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

/** Source: W3C Trace Context Level 2, "Random Trace ID Flag". */
const RANDOM = 2;

const PARENT_BASED = 'parentbased_';

/** Source: OpenTelemetry, "Environment Variable Specification", OTEL_TRACES_SAMPLER. */
function samplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** These samplers depend only on the id. */
const isSampled = (sampler: Sampler, traceId: string): boolean =>
  sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.SERVER, {}, []).decision ===
  SamplingDecision.RECORD_AND_SAMPLED;

/** Messages of the SDK are not logged, since they may contain the collector's address and headers. */
function complainRarely(logger: Logger): void {
  let saidMs = -Infinity;
  const complain = (): void => {
    if (performance.now() - saidMs < COMPLAIN_MS) return;
    saidMs = performance.now();
    logger.warn(
      'Traces cannot be sent: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them',
    );
  };
  const silent = (): void => {};
  diag.setLogger(
    { error: complain, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
