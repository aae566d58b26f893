/** Who has sent an operation, and how: what a carrier has read beside the parameters. */
export interface Caller {
  /** By GET nothing is written. */
  readonly method: string;
  /** The `x-api-key` header, or that of `connection_init`. */
  readonly apiKey: string | null | undefined;
  /** The `x-explain` header. */
  readonly explain: string | null | undefined;
  /** The `Accept` header; absent where nothing may come in parts. */
  readonly accept: string | null | undefined;
  /** The `Accept-Encoding` header. */
  readonly acceptEncoding?: string | null | undefined;
  /** The `If-None-Match` header. */
  readonly ifNoneMatch?: string | null | undefined;
  readonly origin?: string | null | undefined;
  /** Whether the carrier can write a stream of answers. */
  readonly streams: boolean;
  /** Whether nothing but subscriptions is taken. */
  readonly onlySubscriptions: boolean;
}
