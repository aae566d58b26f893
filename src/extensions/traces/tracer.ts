/**
 * Traces by OpenTelemetry's SDK, sent by OTLP over HTTP: loaded only where a collector is named.
 *
 * The SDK reads the resource in the environment itself. Spans are made when an operation
 * has ended, out of its record and journal, with the ids that were told to the backend before.
 */
import {
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
  traceStateOf,
  type ParentSpan,
  type RecordedTrace,
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
  type SpanDescription,
} from './spans.ts';

/** Records traces. What it does costs a request nothing but the decision whether to. */
export interface OperationTracer {
  /** Undefined where the trace is not recorded. */
  begin(caller: TraceHeaders): RecordedTrace | undefined;
  /** A trace of its own for an event of a subscription, which is linked to. */
  beginEvent(subscription: RecordedTrace): RecordedTrace;
  end(trace: RecordedTrace, ended: EndedOperation): void;
  /** Sends what is left; resolves within two seconds, whatever the collector does. */
  close(): Promise<void>;
}

export interface TracerOptions {
  /** As `OTEL_TRACES_SAMPLER` has it. */
  readonly sampler: string;
  /** From 0 to 1, for samplers by ratio. */
  readonly ratio: number;
  /** `https://api.example.com`; empty where recordings answer. */
  readonly backend: string;
  readonly version: string;
  readonly logger: Logger;
  readonly exporting: ExportOptions;
}

/** How spans are sent, and how many wait. Names and defaults of limits are the SDK's. */
export interface ExportOptions extends BatchOptions, Limits {
  /** Of the collector, with its whole path. */
  readonly url: string;
  readonly protocol: 'http/json' | 'http/protobuf';
  /** Beside those that the SDK finds in the environment. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  /** In PEM: who may have signed the collector's certificate, and who this gateway is. */
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

/** Undefined: as many as for all attributes. */
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

/** How long the last spans are waited for when the process ends, in milliseconds. */
const CLOSE_MS = 2_000;

/** How often the log says that spans cannot be exported, in milliseconds. */
const COMPLAIN_MS = 60_000;

/** The ids that the backend was told before the span was made; random ones for every other span. */
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
    // Whether a trace is recorded was decided when its request arrived.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanLimits: spanLimitsOf(exporting),
    spanProcessors: [new BatchSpanProcessor({ ...exporting, exporter: exporterOf(exporting) })],
  });
  const tracer = provider.getTracer('content-pages-gateway', version);

  const recorded = (
    traceId: string,
    parent: ParentSpan | undefined,
    state: readonly string[],
    linked?: SpanRef,
  ): RecordedTrace => ({
    span: { traceId, spanId: ids.generateSpanId() },
    parent,
    linked,
    phases: [],
    forwarded: [],
    begin: () => {
      const span = { traceId, spanId: ids.generateSpanId() };
      return { span, headers: ['traceparent', `00-${traceId}-${span.spanId}-01`, ...state] };
    },
  });

  const make = (described: SpanDescription, context: Context): void => {
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
      // The SDK's sampler by parents decides the same at four times the price.
      const isRecorded = parent && isByParent ? parent.isSampled : isSampled(sampler, traceId);
      if (!isRecorded) return undefined;
      return recorded(traceId, parent, parent ? traceStateOf(caller) : []);
    },
    beginEvent: ({ span }) => recorded(ids.generateTraceId(), undefined, [], span),
    end: (trace, ended) => {
      const endMs = performance.now();
      const { journal } = ended;
      // The answer is written first.
      setImmediate(() => {
        const outside = trace.parent ? parentContext(trace.parent) : ROOT_CONTEXT;
        make(serverSpanOf(trace, ended, endMs), outside);
        const inside = api.setSpanContext(ROOT_CONTEXT, contextOf(trace.span));
        for (const phase of phaseSpansOf(trace.phases)) make(phase, inside);
        for (const entry of journal?.entries ?? []) {
          if (entry.source !== 'sent') continue;
          make(clientSpanOf(entry, journal!.beganMs, endMs, server), inside);
        }
      });
    },
    close: async () => {
      const timeout = sleep(CLOSE_MS, undefined, { ref: false });
      // What ended last has no spans yet.
      await nextTurn();
      // It rejects where the collector is away.
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
    // An enum of these two texts, in a package of the SDK's own.
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

const parentContext = ({ traceId, spanId, isSampled }: ParentSpan): Context =>
  api.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  });

const PARENT_BASED = 'parentbased_';

/** Source: OpenTelemetry, "Environment Variable Specification", OTEL_TRACES_SAMPLER. */
function samplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** These samplers look at nothing but the id. */
const isSampled = (sampler: Sampler, traceId: string): boolean =>
  sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.SERVER, {}, []).decision ===
  SamplingDecision.RECORD_AND_SAMPLED;

/** The SDK's own words may hold the collector's address and headers. */
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
