/**
 * An operation that has ended → its spans: one of the server, one of the client for each attempt that was sent, and
 * its phases that took time. Reads without a call of their own are events.
 *
 * Never a key, a variable, an id, a header: routes are templates.
 * Source: OpenTelemetry semantic conventions for HTTP and GraphQL.
 */
import { SpanKind, type Attributes, type TimeInput } from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import type { Journal, JournalEntry } from '../../rest/call/journal.ts';
import type { SpanRef } from '../../rest/call/trace.ts';
import type { Operation } from '../../gateway/operation/operation.ts';
import type { Phase, RecordedTrace } from '../../gateway/operation/trace-context.ts';

/** An operation, or a subscription's event, that has ended. */
export interface EndedOperation {
  /** The operation, or the subscription. */
  readonly operation: Operation;
  /** By `performance.now()`. */
  readonly startMs: number;
  /** Of HTTP; undefined over a WebSocket. */
  readonly method: string | undefined;
  /** Undefined at `/graphql`. */
  readonly path?: string | undefined;
  /** Of HTTP; undefined for an event. */
  readonly status?: number;
  readonly errors: readonly GraphQLError[];
  /** Whether the caller got no data because of the gateway or the backend. */
  readonly isFailed: boolean;
  readonly journal: Journal | undefined;
}

export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  /** Its ids, where the backend or a caller was told them; else new ones are made. */
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

/** Phases that are shorter, in milliseconds, say nothing of where time went. */
const SHORTEST_PHASE_MS = 0.1;

/** Errors of an operation that are shown one by one. */
const MAX_ERRORS = 10;

export function serverSpanOf(
  trace: RecordedTrace,
  ended: EndedOperation,
  endMs: number,
): SpanDescription {
  const { operation, journal, errors, status } = ended;
  const { operationType = 'none', operationName, documentHash: document, app } = operation;
  // What callers call their own documents would be as many names of spans.
  const name =
    document === undefined || operationName === undefined
      ? operationType
      : `${operationType} ${operationName}`;
  const withoutCall = (journal?.entries ?? []).filter(({ source }) => source !== 'sent');
  const codes = errors.slice(0, MAX_ERRORS).map(({ extensions = {} }) => extensions['code']);
  const code = codes.map(String)[0];
  return {
    name,
    kind: SpanKind.SERVER,
    startMs: ended.startMs,
    endMs,
    span: trace.span,
    attributes: {
      ...(ended.method !== undefined && { 'http.request.method': ended.method }),
      'http.route': ended.path ?? '/graphql',
      ...(status !== undefined && { 'http.response.status_code': status }),
      'graphql.operation.type': operationType,
      ...(operationName !== undefined && { 'graphql.operation.name': operationName }),
      ...(document !== undefined && { 'graphql.document.sha256': document }),
      ...(app && { 'app.name': app.app, 'app.version': app.version }),
      'gateway.calls': journal?.calls ?? 0,
      'gateway.rounds': journal?.rounds ?? 0,
    },
    links: [
      ...(trace.linked ? [trace.linked] : []),
      ...withoutCall.flatMap(({ span }) => span ?? []),
    ],
    events: [
      ...withoutCall.map((entry) => eventOf(entry, journal!.beganMs)),
      ...codes.map((each) => ({
        name: 'graphql.error',
        atMs: endMs,
        attributes: { 'error.type': String(each) },
      })),
    ],
    ...(ended.isFailed && { error: code ?? 'INTERNAL_SERVER_ERROR' }),
  };
}

/** A read that joined another, that an answer of another call has answered, or that never left. */
function eventOf(
  { route, source, span, startMs, failure }: JournalEntry,
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

/** The backend, as spans of the client name it. @param origin empty where recordings answer. */
export function serverOf(origin: string): Attributes {
  if (origin === '') return {};
  const { hostname, port, protocol } = new URL(origin);
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || ownPort };
}

/** Of an attempt that was sent. */
export function clientSpanOf(
  { route, span, startMs, endMs, status, failure, attempt }: JournalEntry,
  beganMs: number,
  atMs: number,
  server: Attributes,
): SpanDescription {
  const error = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  return {
    name: `${route.method} ${route.path}`,
    kind: SpanKind.CLIENT,
    startMs: beganMs + startMs,
    // An attempt may still be under way when the last of its callers has left.
    endMs: endMs === undefined ? atMs : beganMs + endMs,
    span,
    attributes: {
      ...server,
      'http.request.method': route.method,
      'url.template': route.path,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    },
    error: endMs === undefined ? 'cancelled' : error,
  };
}

export const phaseSpansOf = (phases: readonly Phase[]): SpanDescription[] =>
  phases
    .filter(({ startMs, endMs }) => endMs - startMs >= SHORTEST_PHASE_MS)
    .map((phase) => ({ ...phase, kind: SpanKind.INTERNAL, attributes: {} }));

/** `performance.now()`'s time as seconds and nanoseconds since 1970. */
export function timeOf(ms: number): TimeInput {
  const sinceEpochMs = performance.timeOrigin + ms;
  const seconds = Math.floor(sinceEpochMs / 1_000);
  return [seconds, Math.round((sinceEpochMs - seconds * 1_000) * 1e6)];
}
