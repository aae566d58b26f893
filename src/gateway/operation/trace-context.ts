/**
 * Trace context of a request, and its propagation to the backend.
 *
 * A trace that is not recorded here is forwarded unchanged. `baggage` is not forwarded, since it can contain anything.
 * Source: W3C Trace Context, "traceparent Header" and "tracestate Header".
 */
import type { CallTrace, SpanRef } from '../../rest/call/call-log.ts';

/** The headers of a caller, by their names in lower case. */
export interface TraceSource {
  header(name: string): string | undefined;
}

export interface ParentSpan extends SpanRef {
  readonly isSampled: boolean;
  /** Whether the trace's id is random. Source: W3C Trace Context Level 2, "Random Trace ID Flag". */
  readonly isRandom: boolean;
}

/** Trace of an operation's calls, with the ids that its log line names. */
export interface OperationTrace extends CallTrace {
  readonly span: SpanRef;
}

const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

const MAX_TRACESTATE = 512;

/** Parses a `traceparent`; undefined without a valid one. Future versions may be longer. */
export function parentOf(traceparent: string | undefined): ParentSpan | undefined {
  const found = traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent);
  if (!found) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = found;
  if (version === '00' && more !== undefined) return undefined;
  const bits = parseInt(flags, 16);
  return { traceId, spanId, isSampled: (bits & 1) !== 0, isRandom: (bits & 2) !== 0 };
}

/** The caller's `tracestate`; undefined if it is missing or too long. */
export function traceStateOf(caller: TraceSource): string | undefined {
  const state = caller.header('tracestate') ?? '';
  return state !== '' && state.length <= MAX_TRACESTATE ? state : undefined;
}

/** Headers of a call in a trace: name, value, name, value. */
export const traceHeaders = (traceparent: string, state: string | undefined): readonly string[] =>
  state === undefined
    ? ['traceparent', traceparent]
    : ['traceparent', traceparent, 'tracestate', state];

/** The caller's trace, forwarded if none is recorded here; undefined without one. */
export function forwardedTrace(caller: TraceSource): CallTrace | undefined {
  const traceparent = caller.header('traceparent');
  if (traceparent === undefined || !parentOf(traceparent)) return undefined;
  return { forwarded: traceHeaders(traceparent, traceStateOf(caller)) };
}
