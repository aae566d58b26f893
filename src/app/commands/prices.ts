/** Formats names and prices of documents. */
import { Kind, type DocumentNode } from 'graphql';
import type { Price } from '../../plan/price.ts';

/** `1 to 4 calls in 2 round trips, 1 to 12 values` */
export const inWords = ({ calls, rounds, values }: Price): string =>
  `${counted(range(calls), 'call')} in ${counted(String(rounds), 'round trip')}, ${counted(range(values), 'value')}`;

const counted = (count: string, noun: string): string =>
  `${count} ${noun}${count === '1' ? '' : 's'}`;

export const range = ({ least, most }: Price['calls']): string =>
  least === most ? shown(most) : `${least} to ${shown(most)}`;

/** Null is unknown, for lists of unknown length. */
export const shown = (count: number | null): string => (count === null ? 'unknown' : String(count));

/** Name of the first operation that has one. */
export function nameOf({ definitions }: DocumentNode): string {
  for (const one of definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION && one.name) return one.name.value;
  }
  return 'anonymous';
}
