/**
 * Reads `Retry-After`, in seconds or as a date, as milliseconds from now.
 *
 * undici gives a repeated header as a list, of which the first counts.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The longest wait that is accepted: a day. */
const MAX_MS = 86_400_000;

/** Milliseconds to wait; undefined when the answer does not say, or unreadably. */
export const retryAfterOf = (headers: IncomingHttpHeaders): number | undefined => {
  const header: string | readonly string[] | undefined = headers['retry-after'];
  return parseRetryAfter(typeof header === 'object' ? header[0] : header);
};

export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  // `Date.parse` takes "1.5" and "-5" for years.
  const ms = /^[A-Z][a-z]/.test(text) ? Date.parse(text) - now : NaN;
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.max(0, ms)) : undefined;
}
