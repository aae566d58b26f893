/**
 * Spans of an operation: a server span, a client span per sent attempt, and spans of phases. Reads without a call are
 * events. They contain no keys, variables, ids or headers; routes are templates. Source: OpenTelemetry semantic
 * conventions.
 */
import {
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type Span,
  type TimeInput,
  type Tracer,
} from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { CallLog, CallLogEntry, SpanRef } from '../../rest/call/call-log.ts';
import type { Operation, PhaseTime } from '../../gateway/operation/operation.ts';

/** An ended operation, or an ended event of a subscription. */
export interface EndedOperation {
  readonly operation: Operation;
  readonly status?: number;
  readonly errors: readonly GraphQLError[];
  /** Whether the gateway or the backend caused the missing data. */
  readonly isFailed: boolean;
  /** Phases other than calls. */
  readonly phases: readonly PhaseTime[];
  readonly callLog: CallLog | undefined;
}

/** Starts a span of a trace. */
export type StartSpan = Tracer['startSpan'];

/** Minimum duration of a recorded phase, in milliseconds. */
const SHORTEST_PHASE_MS = 0.1;

const MAX_ERRORS = 10;

export function endServerSpan(
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
export function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  const { hostname, port, protocol } = new URL(origin);
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || ownPort };
}

/** Ends the client span of a sent attempt. */
export function endClientSpan(
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
export function timeOf(ms: number): TimeInput {
  const sinceEpochMs = performance.timeOrigin + ms;
  const seconds = Math.floor(sinceEpochMs / 1_000);
  return [seconds, Math.round((sinceEpochMs - seconds * 1_000) * 1e6)];
}
