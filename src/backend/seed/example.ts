/**
 * Sample data: ids that examples, tests and docs use, and what its rows have in common. Values are derived from
 * positions, so they are equal on every machine and at every start.
 */

/** The page with the most audiences, persons, versions and links. */
export const EXAMPLE_PAGE_ID = 'page_northwind';

/** Key of the first tenant of `sample.json`. */
export const EXAMPLE_API_KEY = 'demo';

/** End of the sample data, in epoch milliseconds. */
export const SAMPLE_END_MS = Date.UTC(2025, 9, 1, 9, 30);

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A row without its tenant, added by `seed.ts`. */
export type SampleRow<Row> = Omit<Row, 'tenantId'>;

/** `7` → `07`, for ids in numeric order. */
export const twoDigits = (number: number): string => String(number).padStart(2, '0');

export const inTurn = <Value>(values: readonly Value[], position: number): Value =>
  values[position % values.length]!;
