/**
 * Freshness by RFC 9111, as a private cache, with four fixes of `http-cache-semantics`: it knows directives in lower
 * case only, uses the last of several lifetimes, ignores `Date`, and derives lifetimes from `immutable` or
 * `Last-Modified`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import CachePolicy from 'http-cache-semantics';
import type { RestResponse } from '../../rest/call/call.ts';
import { parseHttpDate, withZone } from '../../rest/decode/http-date.ts';

export type StoredHeaders = Readonly<Record<string, string>>;

export interface Freshness {
  readonly headers: StoredHeaders;
  /** Lifetime from the request on, in milliseconds; 0 or less if each use requires validation. */
  readonly lifetimeMs: number;
}

const NAMES = [
  'content-type',
  'cache-control',
  'expires',
  'pragma',
  'etag',
  'last-modified',
  'vary',
  // Valid only on arrival.
  'date',
  'age',
];

/** Values of `Vary` that differ for each call. */
const OF_ONE_CALL = ['*', 'x-request-id', 'traceparent', 'tracestate'];

const REQUEST = { method: 'GET', url: '', headers: {} };
const ONLY_STATED = { shared: false, cacheHeuristic: 0, immutableMinTimeToLive: 0 };

/**
 * Returns undefined for responses that may not be stored or cannot be reused.
 *
 * @param ttlMs default lifetime, in milliseconds.
 */
export const freshnessOf = (
  headers: IncomingHttpHeaders,
  ttlMs: number | undefined,
): Freshness | undefined => freshnessBy(pick(headers), ttlMs);

/** Whether a 304 names another ETag than that of the cached response. Source: RFC 9111, section 4.3.4. */
export const isOfAnother = (
  { status, headers: { etag } }: Pick<RestResponse, 'status' | 'headers'>,
  kept: StoredHeaders,
): boolean => status === 304 && etag !== undefined && opaque(etag) !== opaque(kept['etag'] ?? '');

/** An ETag for weak comparison, which proxies may have weakened. */
const opaque = (etag: string): string => etag.replace(/^W\//, '');

export const renewed = (
  kept: StoredHeaders,
  confirming: IncomingHttpHeaders,
  ttlMs: number | undefined,
): Freshness | undefined => {
  const { 'content-type': _, ...updates } = pick(confirming);
  return freshnessBy({ ...kept, ...updates }, ttlMs);
};

function freshnessBy(headers: StoredHeaders, ttlMs: number | undefined): Freshness | undefined {
  const { date = '', age, ...lasting } = headers;
  const { vary = '', expires, etag, 'last-modified': modified } = lasting;
  const differing = vary.split(',').map((name) => name.trim().toLowerCase());
  if (differing.some((name) => OF_ONE_CALL.includes(name))) return undefined;
  const control = headers['cache-control']?.toLowerCase();
  const policy = new CachePolicy(
    REQUEST,
    {
      status: 200,
      headers: {
        ...headers,
        ...(date !== '' && { date: withZone(date) }),
        ...(expires !== undefined && { expires: withZone(expires) }),
        ...(control !== undefined && { 'cache-control': control }),
      },
    },
    ONLY_STATED,
  );
  if (!policy.storable()) return undefined;
  const isStated = (control ?? expires ?? headers['pragma']) !== undefined;
  const mostMs = hasConflict(control) ? 0 : isStated ? policy.maxAge() * 1_000 : (ttlMs ?? 0);
  // Source: RFC 9111, "Calculating Age". The delay counts from the request on.
  const toldMs = (Number(age) || 0) * 1_000;
  // Dates have a resolution of seconds.
  const apparentMs = Date.now() - parseHttpDate(date) - 1_000 || 0;
  const lifetimeMs = mostMs - Math.max(0, toldMs, apparentMs);
  const isOfUse = lifetimeMs > 0 || etag !== undefined || modified !== undefined;
  return isOfUse ? { headers: lasting, lifetimeMs } : undefined;
}

/** Whether there are different lifetimes. Source: RFC 9111, "Calculating Freshness Lifetime". */
function hasConflict(control = ''): boolean {
  const lifetimes = control.matchAll(/(?<![\w-])max-age="?(\d*)/g);
  return new Set(Array.from(lifetimes, ([, seconds]) => seconds)).size > 1;
}

/**
 * Headers of a conditional request: name, value, name, value.
 *
 * @param byTime whether `Last-Modified` may be used, which is equal for two states of one second.
 */
export const validatorsOf = (
  { etag, 'last-modified': modified }: StoredHeaders,
  byTime: boolean,
): string[] => [
  ...(etag === undefined ? [] : ['if-none-match', etag]),
  ...(modified === undefined || !byTime ? [] : ['if-modified-since', modified]),
];

function pick(headers: IncomingHttpHeaders): StoredHeaders {
  const found = NAMES.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, [value].flat().join(', ')] as const];
  });
  return Object.fromEntries(found);
}
