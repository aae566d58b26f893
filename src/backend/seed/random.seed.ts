/** Random numbers for the sample data: the same on every machine and at every start. */

/** End of the sample data, in epoch milliseconds. */
export const SAMPLE_END_MS = Date.UTC(2025, 9, 1, 9, 30);

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<Value>(values: readonly Value[]): Value;
  chance(probability: number): boolean;
}

/** Mulberry32, a small and fast generator. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    // The index is below the length; lists are never empty.
    pick: <Value>(values: readonly Value[]) => values[int(0, values.length - 1)] as Value,
    chance: (probability) => next() < probability,
  };
}

/** A row without its tenant, added by `seed.ts`. */
export type SampleRow<Row> = Omit<Row, 'tenantId'>;

/** `7` → `07`, for ids in numeric order. */
export const twoDigits = (number: number): string => String(number).padStart(2, '0');
