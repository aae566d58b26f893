/** Prices of documents in words. */
import type { Price } from '../../plan/price.ts';

/** `1 to 4 calls in 2 rounds, 1 to 12 values` */
export const inWords = ({ calls, rounds, values }: Price): string =>
  `${range(calls)} calls in ${rounds} rounds, ${range(values)} values`;

export const range = ({ least, most }: Price['calls']): string =>
  least === most ? shown(most) : `${least} to ${shown(most)}`;

/** The length of some lists is unknown. */
export const shown = (count: number | null): string => (count === null ? 'unknown' : String(count));
