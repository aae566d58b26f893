/**
 * `Retry-After`: seconds or a date → milliseconds from now.
 *
 * undici hands a repeated header over as a list; the first one counts.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Milliseconds to wait; undefined when the answer does not say, or unreadably. */
export const retryAfterOf = (headers: IncomingHttpHeaders): number | undefined => {
  const header: string | readonly string[] | undefined = headers['retry-after'];
  return parseRetryAfter(typeof header === 'object' ? header[0] : header);
};

export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
