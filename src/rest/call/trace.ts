/**
 * Trace context of REST calls.
 *
 * Source: W3C Trace Context.
 */

export interface SpanRef {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

export interface CallTrace {
  /** Headers of calls if the trace is not recorded: name, value, name, value. */
  readonly forwarded: readonly string[];
  /** Begins the span of an attempt if it is recorded. */
  readonly begin?: () => {
    readonly span: SpanRef;
    readonly headers: readonly string[];
  };
}
