/** `page` and `searchPages`. */
import { builder } from '../../graph/types/builder.ts';
import { demanding } from '../../graph/entity/demand.ts';
import { costing } from '../../graph/types/field-builder.ts';
import { lookupField, referenceField } from '../../graph/entity/reference-field.ts';
import { checkCount, DEFAULT_FIRST, MAX_FIRST } from '../../graph/connection/page-request.ts';
import type { PageSearchHit } from '../../v0/page.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from './page.entity.ts';
import { pageSearchLoader } from './page.loader.ts';
import { PageTypeRef } from './page.type.ts';

const PageSearchHitRef = builder.objectRef<PageSearchHit>('PageSearchHit');
builder.objectType(PageSearchHitRef, {
  description: 'A page that a search found: what the search itself tells of it.',
  fields: (t) => ({
    pageId: t.exposeID('pageId', { description: 'The id REST knows the page by.' }),
    name: t.exposeString('name', { description: 'The page’s name.' }),
    pageType: t.expose('pageType', {
      type: PageTypeRef,
      nullable: true,
      description: 'What the page is for.',
    }),
    audiencesCount: t.expose('audiencesCount', {
      type: 'SafeInt',
      description: 'How many audiences the page has.',
    }),
  }),
});

builder.queryFields((t) => ({
  page: lookupField(t, pageEntity, 'A page by its REST id; null when there is none.'),
  searchPages: t.field({
    type: [PageSearchHitRef],
    nullable: true,
    description: costing('The pages that match best, best first.', routes.searchPages),
    args: {
      query: t.arg.string({ description: 'Words to look for.' }),
      first: t.arg.int({
        defaultValue: DEFAULT_FIRST,
        description: `How many hits at most: 0 to ${MAX_FIRST}.`,
      }),
    },
    extensions: demanding({
      kind: 'load',
      from: 'object',
      route: routes.searchPages,
      items: undefined,
      loader: pageSearchLoader,
      key: (_root, args) => searchOf(args),
    }),
    resolve: (_root, args, context, info) => {
      const search = searchOf(args);
      return search ? pageSearchLoader(context).load(search, info.path) : [];
    },
  }),
}));

/**
 * Null for a search that may find nothing.
 *
 * @throws BAD_USER_INPUT when `first` is out of range.
 */
function searchOf({ query, first }: { readonly query?: unknown; readonly first?: unknown }) {
  // The schema declares them: `query: String`, `first: Int = 20`.
  const limit = checkCount('first', (first as number | null | undefined) ?? DEFAULT_FIRST);
  if (limit === 0) return null;
  return { limit: String(limit), ...(typeof query === 'string' && { query }) };
}

/** A hit leads to its page. The reference is believed: a search finds what exists. */
builder.objectFields(PageSearchHitRef, (t) => ({
  page: referenceField(t, pageEntity, {
    description: 'The page itself.',
    from: 'object',
    key: ({ pageId }) => ({ pageId }),
  }),
}));
