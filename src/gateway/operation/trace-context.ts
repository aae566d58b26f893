/**
 * The trace that a caller's request belongs to, and what is told to the backend about it.
 *
 * A trace that is not recorded here is passed on as it came. `baggage` is not: it may hold anything.
 * Source: W3C Trace Context, "traceparent Header" and "tracestate Header".
 */
import type { CallTrace, SpanRef } from '../../rest/call/trace.ts';

/** Those of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** The parts of `traceparent`. */
export interface ParentSpan extends SpanRef {
  readonly isSampled: boolean;
}

/** A trace that is recorded. */
export interface RecordedTrace extends CallTrace {
  /** The request's own span. */
  readonly span: SpanRef;
  readonly parent: ParentSpan | undefined;
  /** The subscription that it is an event of. */
  readonly linked?: SpanRef | undefined;
  /** What took time before and beside the calls, in the order it began; times by `performance.now()`. */
  readonly phases: Phase[];
}

export interface Phase {
  readonly name: 'parse' | 'validate' | 'plan' | 'execute';
  readonly startMs: number;
  readonly endMs: number;
}

const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** A longer one need not be passed on. */
const MAX_TRACESTATE = 512;

/** Undefined for what is no `traceparent`. Versions that are yet to come may be longer. */
export function parentOf(traceparent: string): ParentSpan | undefined {
  const found = TRACEPARENT.exec(traceparent);
  if (!found) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = found;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/** The caller's `tracestate` as a header: empty where there is none that may be passed on. */
export const traceStateOf = ({ tracestate }: TraceHeaders): readonly string[] =>
  typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MAX_TRACESTATE
    ? ['tracestate', tracestate]
    : [];

/** The caller's trace to pass on where none is recorded here; undefined without one. */
export function forwardedTrace(caller: TraceHeaders): CallTrace | undefined {
  const { traceparent } = caller;
  if (typeof traceparent !== 'string' || !parentOf(traceparent)) return undefined;
  return { forwarded: ['traceparent', traceparent, ...traceStateOf(caller)] };
}
