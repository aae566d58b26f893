/** Who has sent an operation, and how: what a carrier has read beside the parameters. */
import type { ForwardedHeaders } from '../../rest/call/forwarded-headers.ts';
import { API_KEY_HEADER } from '../../v0/api-key.ts';

export interface Caller {
  /** By GET nothing is written. Undefined over a WebSocket. */
  readonly method: string | undefined;
  /** The `x-api-key` header, or that of `connection_init`. */
  readonly apiKey: string | null | undefined;
  /** What goes on to the backend with each call; undefined for nothing. */
  readonly forwarded: ForwardedHeaders | undefined;
  /** The `x-explain` header. */
  readonly explain: string | null | undefined;
  /** The `x-consistency` header: the token of a write. */
  readonly consistency?: string | null | undefined;
  /** The `Accept` header; absent where nothing may come in parts. */
  readonly accept: string | null | undefined;
  /** The `Accept-Encoding` header. */
  readonly acceptEncoding?: string | null | undefined;
  /** The `If-None-Match` header. */
  readonly ifNoneMatch?: string | null | undefined;
  readonly origin?: string | null | undefined;
  /** Those of W3C Trace Context. */
  readonly traceparent?: string | null | undefined;
  readonly tracestate?: string | null | undefined;
  /** What the caller's app calls itself, and its version. */
  readonly clientName?: string | null | undefined;
  readonly clientVersion?: string | null | undefined;
  /** Whether the carrier writes streams of answers, whatever is accepted. */
  readonly streams: boolean;
  /** Whether nothing but subscriptions is taken. */
  readonly onlySubscriptions: boolean;
}

/** The headers in which apps name themselves: those of GraphQL over HTTP's clients, then Apollo's. */
export const CLIENT_NAME_HEADERS = ['graphql-client-name', 'apollographql-client-name'] as const;
export const CLIENT_VERSION_HEADERS = [
  'graphql-client-version',
  'apollographql-client-version',
] as const;

/** The value of a header by its name in lower case; Node and the Fetch API join those of one that is sent twice. */
type HeaderOf = (name: string) => string | null | undefined;

/** The caller of a request over HTTP. */
export function callerOf(
  method: string,
  header: HeaderOf,
  forwarding: Forwarding | undefined,
): Caller {
  return {
    method,
    apiKey: header(API_KEY_HEADER),
    forwarded: forwarding?.(header),
    explain: header('x-explain'),
    consistency: header('x-consistency'),
    accept: header('accept'),
    acceptEncoding: header('accept-encoding'),
    ifNoneMatch: header('if-none-match'),
    origin: header('origin'),
    traceparent: header('traceparent'),
    tracestate: header('tracestate'),
    clientName: firstOf(header, CLIENT_NAME_HEADERS),
    clientVersion: firstOf(header, CLIENT_VERSION_HEADERS),
    streams: false,
    onlySubscriptions: false,
  };
}

const firstOf = (header: HeaderOf, [first, second]: readonly [string, string]) =>
  header(first) ?? header(second);

/** A header of a caller's by its name, in lower case. */
type ReadHeader = (name: string) => string | readonly string[] | null | undefined;

/**
 * Reads the headers that go on to the backend, where a request arrives: a stream that stays open for hours then keeps
 * these few, and no request.
 */
export type Forwarding = (header: ReadHeader) => ForwardedHeaders;

/**
 * @param names in lower case.
 * @returns undefined where nothing is forwarded.
 */
export const createForwarding = (names: readonly string[]): Forwarding | undefined =>
  names.length === 0
    ? undefined
    : (header) =>
        names.flatMap((name) => {
          const value = header(name);
          return typeof value === 'string' ? [name, value] : [];
        });

/** One version of an app. */
export interface AppVersion {
  readonly app: string;
  readonly version: string;
}

/** Whatever no manifest of trusted documents names. */
export const OTHER_APP: AppVersion = { app: 'other', version: 'other' };
