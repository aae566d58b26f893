/**
 * How REST calls carry the trace of the request that makes them.
 *
 * Source: W3C Trace Context.
 */

/** A span, as others name it. */
export interface SpanRef {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

export interface CallTrace {
  /** Headers of every call, where the trace is not recorded here: name, value, name, value. */
  readonly forwarded: readonly string[];
  /** Where it is: begins the span of an attempt. */
  readonly begin?: () => BegunSpan;
}

export interface BegunSpan {
  readonly span: SpanRef;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}
