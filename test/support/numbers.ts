/** Numbers as the documentation writes them. */

/** `4,096`. */
export const inDigits = (value: number): string => value.toLocaleString('en');

/** `10 s`. */
export const inSeconds = (ms: number): string => `${ms / 1_000} s`;
