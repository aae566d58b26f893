/**
 * The list envelope, and the limits of a page.
 *
 * Source: interface.md, "List envelope". Assumed: `limit` is 1 to 100, 20 when absent.
 */
import { z } from 'zod';

/** Default of `limit`. Assumed: public reference. */
export const DEFAULT_LIMIT = 20;

/** Maximum of `limit`. Assumed: public reference. */
export const MAX_LIMIT = 100;

/** A page of a list; `nextCursor` is the cursor of the next one. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  /** Number of items of the whole list; null if the backend does not count (persons). */
  readonly totalCount: number | null;
}

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable(),
    totalCount: z.int().min(0).nullable(),
  });

/** A flag in a query string: the text `true` or `false`. Assumed: public reference. */
export const Flag = z.enum(['true', 'false']);

/** Digits only, since `Number` accepts `1e1`, `0xA` and spaces, too. */
const toInteger = (given: number): unknown => (/^\d+$/.test(String(given)) ? Number(given) : given);

export const listQuery = {
  cursor: z.string().optional(),
  limit: z.preprocess(toInteger, z.int().min(1).max(MAX_LIMIT)).optional(),
};
