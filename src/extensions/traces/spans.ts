/**
 * Spans of an operation: a server span, a client span per sent attempt, and spans of phases. Reads without a call are
 * events. They contain no keys, variables, ids or headers; routes are templates. Source: OpenTelemetry semantic
 * conventions.
 */
import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type Span,
  type SpanOptions,
  type TimeInput,
} from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { CallLog, CallLogEntry, SpanRef } from '../../rest/call/call-log.ts';
import type { Operation, PhaseTime } from '../../gateway/operation/operation.ts';
import type { OperationTrace, ParentSpan } from '../../gateway/operation/trace-context.ts';

export interface RecordedTrace extends OperationTrace {
  readonly parent: ParentSpan | undefined;
  /** `tracestate` of its spans and calls. */
  readonly state: string | undefined;
  /** Span of the subscription, for an event. */
  readonly linked?: SpanRef | undefined;
}

/** An ended operation, or an ended event of a subscription. */
export interface EndedOperation {
  readonly operation: Operation;
  /** Time of `performance.now()`. */
  readonly startMs: number;
  readonly status?: number;
  readonly errors: readonly GraphQLError[];
  /** Whether the gateway or the backend caused the missing data. */
  readonly isFailed: boolean;
  /** Phases other than calls. */
  readonly phases: readonly PhaseTime[];
  readonly callLog: CallLog | undefined;
}

/** Starts a span. @param span its ids if they were sent to the backend or the caller; otherwise generated. */
export type StartSpan = (name: string, options: SpanOptions, span?: SpanRef) => Span;

/** Minimum duration of a recorded phase, in milliseconds. */
const SHORTEST_PHASE_MS = 0.1;

const MAX_ERRORS = 10;

export function recordServerSpan(
  start: StartSpan,
  trace: RecordedTrace,
  { operation, startMs, status, errors, isFailed, callLog }: EndedOperation,
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
  const links = withoutCall.flatMap(({ span }) => span ?? []);
  const span = start(
    name,
    {
      kind: SpanKind.SERVER,
      startTime: timeOf(startMs),
      attributes: {
        ...(method !== undefined && { 'http.request.method': method }),
        'http.route': operation.transport.path ?? '/graphql',
        ...(status !== undefined && { 'http.response.status_code': status }),
        'graphql.operation.type': operationType,
        ...(operationName !== undefined && { 'graphql.operation.name': operationName }),
        ...(document !== undefined && { 'graphql.document.sha256': document }),
        ...(app && { 'app.name': app.app, 'app.version': app.version }),
        'gateway.calls': callLog?.calls ?? 0,
        'gateway.rounds': callLog?.rounds ?? 0,
      },
      links: [...(trace.linked ? [trace.linked] : []), ...links].map((link) => ({
        context: contextOf(link),
      })),
    },
    trace.span,
  );
  for (const entry of withoutCall) addRead(span, entry, callLog!.beganMs);
  const codes = errors
    .slice(0, MAX_ERRORS)
    .map(({ extensions = {} }) => String(extensions['code']));
  for (const code of codes) span.addEvent('graphql.error', { 'error.type': code }, timeOf(endMs));
  end(span, endMs, isFailed ? (codes[0] ?? 'INTERNAL_SERVER_ERROR') : undefined);
}

/** Adds an event for a read without a call: shared, primed, cached or unsent. */
function addRead(
  to: Span,
  { route, source, span, startMs, failure }: CallLogEntry,
  beganMs: number,
): void {
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
export function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  const { hostname, port, protocol } = new URL(origin);
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || ownPort };
}

/** Records the client span of a sent attempt. */
export function recordClientSpan(
  start: StartSpan,
  { route, span, startMs, endMs, status, failure, attempt, ahead }: CallLogEntry,
  beganMs: number,
  atMs: number,
  server: Attributes,
): void {
  const error = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  const attributes = {
    ...server,
    'http.request.method': route.method,
    'url.template': route.path,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    ...(ahead && { 'gateway.ahead': ahead }),
  };
  const startTime = timeOf(beganMs + startMs);
  const name = `${route.method} ${route.path}`;
  const client = start(name, { kind: SpanKind.CLIENT, startTime, attributes }, span);
  // An attempt may still be in flight after its last caller has disconnected.
  if (endMs === undefined) end(client, atMs, 'cancelled');
  else end(client, beganMs + endMs, error);
}

export function recordPhase(start: StartSpan, { name, startMs, endMs }: PhaseTime): void {
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

export const contextOf = ({ traceId, spanId }: SpanRef) => ({
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
