/**
 * Spans of an operation: a server span, a client span per sent attempt, and spans of phases. Reads without a call are
 * events. They contain no keys, variables, ids or headers; routes are templates. Source: OpenTelemetry semantic
 * conventions.
 */
import { SpanKind, type Attributes, type TimeInput } from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { CallLog, CallLogEntry } from '../../rest/call/call-log.ts';
import type { SpanRef } from '../../rest/call/trace.ts';
import type { Operation, PhaseTime } from '../../gateway/operation/operation.ts';
import type { OperationTrace, ParentSpan } from '../../gateway/operation/trace-context.ts';

export interface RecordedTrace extends OperationTrace {
  readonly parent: ParentSpan | undefined;
  readonly isRandom: boolean;
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

export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  /** Its ids if they were sent to the backend or the caller; otherwise generated. */
  readonly span?: SpanRef | undefined;
  readonly attributes: Attributes;
  readonly links?: readonly SpanRef[];
  readonly events?: readonly EventDescription[];
  /** `error.type`; undefined for a success. */
  readonly error?: string | undefined;
}

interface EventDescription {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** Minimum duration of a recorded phase, in milliseconds. */
const SHORTEST_PHASE_MS = 0.1;

const MAX_ERRORS = 10;

export function serverSpanOf(
  trace: RecordedTrace,
  ended: EndedOperation,
  endMs: number,
): SpanDescription {
  const { operation, callLog, errors, status } = ended;
  const { operationType = 'none', operationName, documentHash: document, app, method } = operation;
  // Names chosen by callers are not used, since span names must be bounded.
  const name =
    document === undefined || operationName === undefined
      ? operationType
      : `${operationType} ${operationName}`;
  const withoutCall = (callLog?.entries ?? []).filter(({ source }) => source !== 'sent');
  const codes = errors.slice(0, MAX_ERRORS).map(({ extensions = {} }) => extensions['code']);
  const code = codes.map(String)[0];
  return {
    name,
    kind: SpanKind.SERVER,
    startMs: ended.startMs,
    endMs,
    span: trace.span,
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
    links: [
      ...(trace.linked ? [trace.linked] : []),
      ...withoutCall.flatMap(({ span }) => span ?? []),
    ],
    events: [
      ...withoutCall.map((entry) => eventOf(entry, callLog!.beganMs)),
      ...codes.map((each) => ({
        name: 'graphql.error',
        atMs: endMs,
        attributes: { 'error.type': String(each) },
      })),
    ],
    ...(ended.isFailed && { error: code ?? 'INTERNAL_SERVER_ERROR' }),
  };
}

/** Event of a read without a call: shared, primed, cached or unsent. */
function eventOf(
  { route, source, span, startMs, failure }: CallLogEntry,
  beganMs: number,
): EventDescription {
  return {
    name: `${source} ${route.method} ${route.path}`,
    atMs: beganMs + startMs,
    attributes: {
      'http.request.method': route.method,
      'url.template': route.path,
      'gateway.source': source,
      ...(span && { 'link.trace_id': span.traceId, 'link.span_id': span.spanId }),
      ...(failure !== undefined && { 'error.type': failure }),
    },
  };
}

/** Attributes of the backend. @param origin empty for recordings. */
export function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  const { hostname, port, protocol } = new URL(origin);
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || ownPort };
}

/** Client span of a sent attempt. */
export function clientSpanOf(
  { route, span, startMs, endMs, status, failure, attempt, ahead }: CallLogEntry,
  beganMs: number,
  atMs: number,
  server: Attributes,
): SpanDescription {
  const error = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  return {
    name: `${route.method} ${route.path}`,
    kind: SpanKind.CLIENT,
    startMs: beganMs + startMs,
    // An attempt may still be in flight after its last caller has disconnected.
    endMs: endMs === undefined ? atMs : beganMs + endMs,
    span,
    attributes: {
      ...server,
      'http.request.method': route.method,
      'url.template': route.path,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      ...(ahead && { 'gateway.ahead': ahead }),
    },
    error: endMs === undefined ? 'cancelled' : error,
  };
}

export const phaseSpansOf = (phases: readonly PhaseTime[]): SpanDescription[] =>
  phases
    .filter(({ startMs, endMs }) => endMs - startMs >= SHORTEST_PHASE_MS)
    .map((phase) => ({ ...phase, kind: SpanKind.INTERNAL, attributes: {} }));

/** Converts a time of `performance.now()` to seconds and nanoseconds since 1970. */
export function timeOf(ms: number): TimeInput {
  const sinceEpochMs = performance.timeOrigin + ms;
  const seconds = Math.floor(sinceEpochMs / 1_000);
  return [seconds, Math.round((sinceEpochMs - seconds * 1_000) * 1e6)];
}
