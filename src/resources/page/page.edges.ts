/**
 * Fields that lead to pages: `page` and `searchPages`.
 */
import { perRequest } from '../../graph/context.ts';
import { requiring } from '../../graph/entity/requirement.ts';
import { Loader } from '../../graph/loading/loader.ts';
import { checkTexts, firstOf } from '../../graph/loading/page-request.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { formatNodeId } from '../../graph/types/node-id.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../v0/list.ts';
import { PageSearchHit } from '../../v0/schemas/page.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity, PageTypeRef } from './page.type.ts';

const PageSearchHitRef = restType('PageSearchHit', PageSearchHit, {
  description: 'A page found by `searchPages`, with the fields that the search returns.',
  fields: { pageType: PageTypeRef },
  added: (t) => ({
    // Not the page's id, since Relay stores objects by id only.
    id: t.id({
      description:
        'Unique, stable ID of this hit, for caches. Lookups and mutations take the ID of the page, which is `page { id }` and needs no REST call.',
      resolve: ({ pageId }) =>
        (pageId as unknown) instanceof Error
          ? pageId // an error in place of an invalid id
          : formatNodeId('PageSearchHit', [pageId]),
    }),
  }),
});

/** `limit`, and `query` if there is one. */
type PageSearch = Readonly<Record<string, string>>;

/** Loader of searches. */
const pageSearchLoader = perRequest(
  ({ rest }) =>
    new Loader<PageSearch, readonly PageSearchHit[]>(async ({ limit, ...search }, call) => {
      const query = { ...search, limit: Number(limit) };
      const { items } = await rest.call(routes.searchPages, { query }, call);
      return items;
    }),
);

builder.queryFields((t) => ({
  page: t.field(lookupField(pageEntity, 'Fetches a page by ID. Null if it does not exist.')),
  searchPages: t.field({
    ...requiring(
      'Searches pages, best match first, without pagination, filters or sorting.',
      {
        kind: 'load',
        from: 'object',
        route: routes.searchPages,
        loader: pageSearchLoader,
        key: (_root, args) => searchOf(args),
      },
      { isNullOnlyWithError: true },
    ),
    type: [PageSearchHitRef],
    args: {
      query: t.arg.string({
        description: 'Search terms. If omitted, the backend decides which pages it returns.',
      }),
      first: t.arg.int({
        defaultValue: DEFAULT_LIMIT,
        description: `Maximum number of hits, from 0 to ${MAX_LIMIT}. With 0, no REST call is made.`,
      }),
    },
    resolve: (_root, args, context, info) => {
      const search = searchOf(args);
      return search ? pageSearchLoader(context).load(search, info.path) : [];
    },
  }),
}));

/**
 * Returns null for a search without results.
 *
 * @throws BAD_USER_INPUT if `first` is out of range, or `query` is too long.
 */
function searchOf(args: Readonly<Record<string, unknown>>) {
  checkTexts(args);
  const limit = firstOf(args);
  if (limit === 0) return null;
  const { query } = args;
  return { limit: String(limit), ...(typeof query === 'string' && { query }) };
}

/** The page of a hit. The reference is trusted, since a search finds existing pages. */
builder.objectFields(PageSearchHitRef, (t) => ({
  page: t.field(
    referenceField(pageEntity, {
      from: 'object',
      description: 'Page that was found. If only its IDs are selected, no REST call is made.',
    }),
  ),
}));
