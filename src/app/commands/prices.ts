/** Formats prices of documents. */
import type { Price } from '../../plan/price.ts';

/** `1 to 4 calls in 2 rounds, 1 to 12 values` */
export const inWords = ({ calls, rounds, values }: Price): string =>
  `${counted(range(calls), 'call')} in ${counted(String(rounds), 'round')}, ${counted(range(values), 'value')}`;

const counted = (count: string, noun: string): string =>
  `${count} ${noun}${count === '1' ? '' : 's'}`;

export const range = ({ least, most }: Price['calls']): string =>
  least === most ? shown(most) : `${least} to ${shown(most)}`;

/** Null is unknown, for lists of unknown length. */
export const shown = (count: number | null): string => (count === null ? 'unknown' : String(count));
