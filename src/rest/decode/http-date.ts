/** Parses dates of HTTP headers, and `Retry-After`. */
import type { IncomingHttpHeaders } from 'node:http';

/** Adds the zone to a date without one, such as asctime's: HTTP's dates are in UTC. */
export const withZone = (date: string): string =>
  /^[A-Z][a-z].*\d$/.test(date) && !/[+-]\d{4}$/.test(date) ? `${date} GMT` : date;

/**
 * Parses a date in all three formats of RFC 9110, section 5.6.7: milliseconds since 1970, or NaN. `Date.parse` alone reads
 * "1.5" and "-5" as years.
 */
export const parseHttpDate = (text: string): number =>
  /^[A-Z][a-z]/.test(text) ? Date.parse(withZone(text)) : NaN;

const MAX_MS = 86_400_000;

/**
 * Returns the time to wait, in milliseconds; undefined without a valid header.
 *
 * A date is relative to the response's `Date`, since clocks may differ.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  // The first value of a repeated header, which undici passes as a list.
  const [header] = [headers['retry-after'] as string | readonly string[] | undefined].flat();
  const text = header?.trim() ?? '';
  // Fractions, which RFC 9110 does not allow, are sent all the same.
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(MAX_MS, Math.ceil(Number(text)) * 1000);
  const ms = parseHttpDate(text) - (parseHttpDate(headers.date ?? '') || Date.now());
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.max(0, ms)) : undefined;
}
