/** Numbers as the documentation writes them. */

/** `4,096`. */
export const inDigits = (value: number): string => value.toLocaleString('en');

/** `10 s`. */
export const inSeconds = (ms: number): string => `${ms / 1_000} s`;

const WORDS = new Map([
  [1 / 10, 'a tenth'],
  [4 / 5, 'four fifths'],
  [7 / 8, 'seven eighths'],
  [9 / 10, 'nine tenths'],
  [15 / 16, 'fifteen sixteenths'],
  [2, 'two'],
  [3, 'three'],
  [5, 'five'],
  [7, 'seven'],
  [10, 'ten'],
  [16, 'sixteen'],
  [100, 'a hundred'],
]);

const OF_UNITS = new Map([
  [1 / 2, 'half a'],
  [1, 'a'],
]);

/**
 * `nine tenths`, or with a unit `half a second`.
 *
 * @throws for a number without a word here: a limit that was changed has to be written anew.
 */
export function inWords(value: number, unit?: string): string {
  const word = (unit === undefined ? WORDS : OF_UNITS).get(value);
  if (word === undefined) {
    throw new Error(
      `${value} has no word: add it to ${unit ? 'OF_UNITS' : 'WORDS'} in test/support/numbers.ts.`,
    );
  }
  return unit === undefined ? word : `${word} ${unit}`;
}
