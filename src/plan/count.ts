/**
 * Bounds of a number. `Infinity` is unknown, and null in JSON.
 */
export interface Count {
  readonly least: number;
  readonly most: number;
}

export const NONE: Count = { least: 0, most: 0 };
export const ONE: Count = { least: 1, most: 1 };

/** From 0 to a maximum. */
export const upTo = (most: number): Count => ({ least: 0, most });

export const plus = (a: Count, b: Count): Count => ({
  least: saturated(a.least + b.least),
  most: saturated(a.most + b.most),
});

export const times = (a: Count, b: Count): Count => ({
  least: product(a.least, b.least),
  most: product(a.most, b.most),
});

/** Product, with 0 for zero times unknown. */
export const product = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : saturated(a * b);

/** Limits a number to the range of exact integers. */
const saturated = (count: number): number =>
  count === Infinity ? count : Math.min(count, Number.MAX_SAFE_INTEGER);
