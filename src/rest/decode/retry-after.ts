/**
 * Parses `Retry-After`, in seconds or as a date.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './http-date.ts';

/** Maximum wait: a day. */
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
