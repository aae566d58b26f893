/**
 * `Retry-After`: seconds or a date → milliseconds from now.
 *
 * undici hands a repeated header over as a list; the first one counts.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The longest wait that is believed: a day. */
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
