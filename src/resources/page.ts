/**
 * Pages with their nested objects, metadata (which audiences share) and search. Source: interface.md, "Page",
 * "PageMetadata", "Create page body". Nested fields may be absent or null in practice.
 */
import { perRequest } from '../graph/context.ts';
import { Entity } from '../graph/entity/entity.ts';
import { requiring } from '../graph/entity/requirement.ts';
import { writeField } from '../graph/fields/mutation.ts';
import { lookupField, referenceField } from '../graph/fields/reference-field.ts';
import { Loader } from '../graph/loading/loader.ts';
import { checkTexts, firstOf } from '../graph/loading/page-request.ts';
import { builder } from '../graph/schema/builder.ts';
import { inputType, restType } from '../graph/schema/rest-type.ts';
import { formatNodeId } from '../graph/types/node-id.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../v0/list.ts';
import { routes } from '../v0/routes.ts';
import { PageMetadata, PageMetadataInput } from '../v0/schemas/page-metadata.ts';
import {
  Action,
  ActionBody,
  ActionCardWidget,
  ActionCardWidgetBody,
  FooterLink,
  FooterLinkBody,
  FooterLinkGroup,
  FooterLinkGroupBody,
  Logo,
  LogoBody,
  LogoImage,
  LogoImageBody,
  type PAGE_STATUSES,
  type PAGE_TYPES,
  Page,
  PageSearchHit,
  Script,
  ScriptBody,
} from '../v0/schemas/page.ts';

export const PageMetadataRef = restType('PageMetadata', PageMetadata, {
  description:
    'Metadata for search engines and link previews. Fields that the backend omits are null.',
  fields: {
    // These ids were published as String.
    ogImageFileId: { type: 'String' },
    twitterImageFileId: { type: 'String' },
  },
});

export const pageEntity = new Entity({
  ref: builder.objectRef<Page>('Page'),
  key: ['pageId'],
  route: routes.getPage,
});

const PageTypeRef = builder.enumType('PageType', {
  description: 'Purpose of a page.',
  values: {
    call_followup: { description: 'Follow-up after a call.' },
    custom: { description: 'Any other purpose.' },
    inbound: { description: 'For visitors who find the page on their own.' },
    outbound: { description: 'For visitors who are contacted first.' },
    sales_deck: { description: 'A sales presentation.' },
  } satisfies Record<(typeof PAGE_TYPES)[number], object>,
});

const PageStatusRef = builder.enumType('PageStatus', {
  description: 'Lifecycle status of a page.',
  values: {
    archived: { description: 'No longer in use. Can be restored with `restorePage`.' },
    draft: { description: 'Not yet published.' },
    published: { description: 'Visible to visitors.' },
  } satisfies Record<(typeof PAGE_STATUSES)[number], object>,
});

const LogoImageRef = restType('LogoImage', LogoImage, {
  description: 'Image file of a logo. Fields that the backend omits are null.',
});

const LogoRef = restType('Logo', Logo, {
  description: 'A logo on an action card.',
  fields: {
    image: {
      type: LogoImageRef,
      description: 'Image file of the logo. Null if the backend omits it.',
    },
  },
});

const ActionRef = restType('Action', Action, {
  description: 'A call to action on a page. Fields that the backend omits are null.',
});

const ActionCardWidgetRef = restType('ActionCardWidget', ActionCardWidget, {
  description:
    'A card shown next to the actions of a page. Fields that the backend omits are null.',
  fields: { logos: LogoRef },
});

const ScriptRef = restType('Script', Script, {
  description: 'A script embedded in a page. Fields that the backend omits are null.',
});

const FooterLinkRef = restType('FooterLink', FooterLink, {
  description: 'A link in the footer of a page. Fields that the backend omits are null.',
  renamed: { id: 'linkId' },
});

const FooterLinkGroupRef = restType('FooterLinkGroup', FooterLinkGroup, {
  description: 'A group of links in the footer of a page. Fields that the backend omits are null.',
  fields: { links: FooterLinkRef },
  renamed: { id: 'groupId' },
});

restType(pageEntity, Page, {
  description: 'A page. Each visitor sees the variant for their audience.',
  fields: {
    pageType: PageTypeRef,
    status: PageStatusRef,
    actions: ActionRef,
    actionCardWidgets: ActionCardWidgetRef,
    scripts: ScriptRef,
    footerLinks: FooterLinkGroupRef,
    metadata: PageMetadataRef,
  },
});

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
          ? pageId // an error that replaces an invalid ID
          : formatNodeId('PageSearchHit', [pageId]),
    }),
  }),
});

type PageSearch = Readonly<Record<string, string>>;

const pageSearchLoader = perRequest(
  ({ rest }) =>
    new Loader<PageSearch, readonly PageSearchHit[]>(async ({ limit, ...search }, call) => {
      const query = { ...search, limit: Number(limit) };
      const { items } = await rest.call(routes.searchPages, { query }, call);
      return items;
    }),
);

lookupField(pageEntity);

builder.queryField('searchPages', (t) =>
  t.field({
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
);

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
referenceField(PageSearchHitRef, 'page', pageEntity, {
  from: 'object',
  description: 'Page that was found. If only its IDs are selected, no REST call is made.',
});

const ActionInput = inputType('ActionInput', ActionBody, {
  description: 'A call to action of a new page.',
  fields: { actionId: 'Raw ID of the new action in the REST API.' },
});

const LogoImageInput = inputType('LogoImageInput', LogoImageBody, {
  description: 'Image file of a logo.',
});

const LogoInput = inputType('LogoInput', LogoBody, {
  description: 'A logo on an action card of a new page.',
  fields: { image: LogoImageInput },
});

const ActionCardWidgetInput = inputType('ActionCardWidgetInput', ActionCardWidgetBody, {
  description: 'A card shown next to the actions of a new page.',
  fields: { logos: LogoInput },
});

const ScriptInput = inputType('ScriptInput', ScriptBody, {
  description: 'A script to embed in a new page.',
});

const FooterLinkInput = inputType('FooterLinkInput', FooterLinkBody, {
  description: 'A link in the footer of a new page.',
  renamed: { id: 'linkId' },
});

const FooterLinkGroupInput = inputType('FooterLinkGroupInput', FooterLinkGroupBody, {
  description: 'A group of links in the footer of a new page.',
  fields: { links: FooterLinkInput },
  renamed: { id: 'groupId' },
});

export const PageMetadataInputRef = inputType('PageMetadataInput', PageMetadataInput, {
  description: 'Metadata for search engines and link previews.',
});

writeField({
  name: 'createPage',
  description: 'Creates a page.',
  route: routes.createPage,
  returns: pageEntity,
  input: {
    description: 'A new page.',
    fields: {
      pageType: PageTypeRef,
      actions: { type: ActionInput, default: [] },
      actionCardWidgets: { type: ActionCardWidgetInput, default: [] },
      scripts: { type: ScriptInput, default: [] },
      footerLinks: FooterLinkGroupInput,
      metadata: PageMetadataInputRef,
    },
  },
  renamed: { footerLinks: 'groupId', links: 'linkId' },
});

writeField({
  name: 'restorePage',
  description: 'Restores an archived page.',
  route: routes.restorePage,
  returns: pageEntity,
  input: { description: 'The page to restore.' },
  target: { field: 'id', entity: pageEntity },
  readBack: ['status', 'archivedAt', 'deletedAt', 'updatedAt'],
});
