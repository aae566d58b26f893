/**
 * The middle of a series; NaN of an empty one.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (at(sorted, Math.floor(middle)) + at(sorted, Math.ceil(middle))) / 2;
}

const at = (values: readonly number[], i: number): number => values[i] ?? NaN;
