/**
 * How long an answer may be used again, as RFC 9111 says for a private cache: what is kept is kept for one key.
 *
 * `http-cache-semantics` reads the lifetime. Three faults of that library are mended here: it knows directives in lower
 * case alone, it ignores `Date`, and without a stated lifetime it guesses one from `immutable` or `Last-Modified`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import CachePolicy from 'http-cache-semantics';

/** Headers of an answer that say how it may be used again, and what it is. */
export type KeptHeaders = Readonly<Record<string, string>>;

export interface Freshness {
  readonly headers: KeptHeaders;
  /** From when it was asked for, in milliseconds; 0 or less where the backend must be asked each time. */
  readonly lifetimeMs: number;
}

const LASTING = [
  ...['content-type', 'cache-control', 'expires', 'pragma'],
  ...['etag', 'last-modified', 'vary'],
];

/** Of the moment at which an answer came. */
const PASSING = ['date', 'age'];

/** What no two calls have in common, even of one key. */
const OF_ONE_CALL = ['*', 'x-request-id', 'traceparent', 'tracestate'];

const REQUEST = { method: 'GET', url: '', headers: {} };
const ONLY_STATED = { shared: false, cacheHeuristic: 0, immutableMinTimeToLive: 0 };

/**
 * Undefined for what may not be kept, and for what is of no use.
 *
 * @param ttlMs the lifetime where the backend states none, in milliseconds.
 */
export const freshnessOf = (
  headers: IncomingHttpHeaders,
  ttlMs: number | undefined,
): Freshness | undefined => freshnessBy(pick(headers, [...LASTING, ...PASSING]), ttlMs);

/** Of a kept answer that the backend has confirmed (304). */
export const renewed = (
  kept: KeptHeaders,
  confirming: IncomingHttpHeaders,
  ttlMs: number | undefined,
): Freshness | undefined => {
  const { 'content-type': _, ...told } = pick(confirming, [...LASTING, ...PASSING]);
  return freshnessBy({ ...pick(kept, LASTING), ...told }, ttlMs);
};

function freshnessBy(headers: KeptHeaders, ttlMs: number | undefined): Freshness | undefined {
  const { vary = '', date = '', age, etag, 'last-modified': modified } = headers;
  const differing = vary.split(',').map((name) => name.trim().toLowerCase());
  if (differing.some((name) => OF_ONE_CALL.includes(name))) return undefined;
  const control = headers['cache-control']?.toLowerCase();
  const policy = new CachePolicy(
    REQUEST,
    {
      status: 200,
      headers: { ...headers, ...(control !== undefined && { 'cache-control': control }) },
    },
    ONLY_STATED,
  );
  if (!policy.storable()) return undefined;
  const isStated = (control ?? headers['expires'] ?? headers['pragma']) !== undefined;
  const mostMs = isStated ? policy.maxAge() * 1_000 : (ttlMs ?? 0);
  // Source: RFC 9111, "Calculating Age". What was under way is counted from the request on.
  const toldMs = (Number(age) || 0) * 1_000;
  // A date has whole seconds.
  const apparentMs = Date.now() - Date.parse(date) - 1_000 || 0;
  const lifetimeMs = mostMs - Math.max(0, toldMs, apparentMs);
  const isOfUse = lifetimeMs > 0 || etag !== undefined || modified !== undefined;
  return isOfUse ? { headers, lifetimeMs } : undefined;
}

/**
 * Headers that ask whether a kept answer is still the present one: name, value, name, value.
 *
 * @param byTime whether its time may tell: two states of one second have the same.
 */
export const validatorsOf = (
  { etag, 'last-modified': modified }: KeptHeaders,
  byTime: boolean,
): string[] => [
  ...(etag === undefined ? [] : ['if-none-match', etag]),
  ...(modified === undefined || !byTime ? [] : ['if-modified-since', modified]),
];

function pick(headers: IncomingHttpHeaders, names: readonly string[]): KeptHeaders {
  const found = names.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, [value].flat().join(', ')] as const];
  });
  return Object.fromEntries(found);
}
