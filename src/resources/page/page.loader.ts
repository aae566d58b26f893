/**
 * What searches for pages find, each search once a request.
 */
import { perRequest } from '../../graph/context.ts';
import { textOf } from '../../graph/entity/key.ts';
import { Loader } from '../../graph/entity/loader.ts';
import type { PageSearchHit } from '../../v0/page.ts';
import { searchPages } from './page.source.ts';

/** `limit`, and `query` if there is one. */
type PageSearch = Readonly<Record<string, string>>;

export const pageSearchLoader = perRequest(
  ({ rest }) =>
    new Loader<PageSearch, readonly PageSearchHit[]>(textOf, async ({ limit, ...search }, call) => {
      const { items } = await searchPages(rest, { ...search, limit: Number(limit) }, call);
      return items;
    }),
);
