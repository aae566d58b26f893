/** Shared parts of the sample rows. Values are derived from positions: the same on every machine and at every start. */

/** End of the sample data, in epoch milliseconds. */
export const SAMPLE_END_MS = Date.UTC(2025, 9, 1, 9, 30);

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A row without its tenant, added by `seed.ts`. */
export type SampleRow<Row> = Omit<Row, 'tenantId'>;

/** `7` → `07`, for ids in numeric order. */
export const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns the value at a position; after the last one comes the first. */
export const inTurn = <Value>(values: readonly Value[], position: number): Value =>
  values[position % values.length]!;
