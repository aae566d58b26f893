/**
 * Moments as callers see them, and the clock that makes them.
 *
 * Tables hold epoch milliseconds; this is the one place that knows both written forms.
 */

/** `document`: `+` and epoch milliseconds, as the REST document's pattern has it. `iso`: ISO 8601. */
export const TIMESTAMP_FORMS = ['document', 'iso'] as const;
export type TimestampForm = (typeof TIMESTAMP_FORMS)[number];

/** Writes a moment for callers; none stays none. */
export interface WriteTime {
  (epochMs: number): string;
  (epochMs: number | null): string | null;
}

/** Source: interface.md, "Conventions". Assumed: the digits after `+` are epoch milliseconds. */
export function timeWriter(form: TimestampForm): WriteTime {
  const write =
    form === 'iso'
      ? (epochMs: number) => new Date(epochMs).toISOString()
      : (epochMs: number) => `+${epochMs}`;
  // The overloads say that only null makes null; a single signature cannot.
  return ((epochMs: number | null) => (epochMs === null ? null : write(epochMs))) as WriteTime;
}

/**
 * A clock that never runs backwards, in epoch milliseconds: lists are ordered by age, and a
 * corrected system clock must not put a new row behind a cursor.
 */
export function createClock(): () => number {
  let last = 0;
  return () => (last = Math.max(last, Date.now()));
}
