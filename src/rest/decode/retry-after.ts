/**
 * Reads `Retry-After`, in seconds or as a date, as milliseconds from now.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The longest wait that is accepted: a day. */
const MAX_MS = 86_400_000;

/**
 * Milliseconds to wait; undefined when the answer does not say, or unreadably.
 *
 * A date is meant by the backend's clock, which its answer tells: ours may be wrong.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  // undici gives a repeated header as a list, of which the first counts.
  const [header] = [headers['retry-after'] as string | readonly string[] | undefined].flat();
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(MAX_MS, Number(text) * 1000);
  // `Date.parse` takes "1.5" and "-5" for years.
  const then = /^[A-Z][a-z]/.test(text) ? Date.parse(text) : NaN;
  const ms = then - (Date.parse(headers.date ?? '') || Date.now());
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.max(0, ms)) : undefined;
}
