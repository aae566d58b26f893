/**
 * What searches for pages find, each search once a request.
 */
import { perRequest } from '../../graph/context.ts';
import { textOf } from '../../graph/key.ts';
import { Loader } from '../../graph/loader.ts';
import type { PageSearchHit } from '../../v0/page.ts';
import { searchPages } from './page.source.ts';

interface PageSearch {
  readonly limit: number;
  readonly query?: string;
}

export const pageSearchLoader = perRequest(
  ({ rest }) =>
    new Loader<PageSearch, readonly PageSearchHit[]>(textOf, async (search, call) => {
      const { items } = await searchPages(rest, search, call);
      return items;
    }),
);
