/**
 * The GraphQL type of pages, with all that is nested in one.
 *
 * Source: interface.md, "Page". What is nested in a page may be absent or null in practice.
 */
import { nullOnlyWithError } from '../../graph/types/semantic-non-null.ts';
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import type {
  Action,
  ActionCardWidget,
  FooterLink,
  FooterLinkGroup,
  Logo,
  LogoImage,
  PAGE_STATUSES,
  PAGE_TYPES,
  Script,
} from '../../v0/page.ts';
import { pageEntity } from './page.entity.ts';
import { PageMetadataRef } from './page-metadata.type.ts';

export const PageTypeRef = builder.enumType('PageType', {
  description: 'Purpose of a page.',
  values: {
    call_followup: { description: 'Follow-up after a call.' },
    custom: { description: 'Any other purpose.' },
    inbound: { description: 'For visitors who come on their own.' },
    outbound: { description: 'For visitors who are contacted first.' },
    sales_deck: { description: 'A sales presentation.' },
  } satisfies Record<(typeof PAGE_TYPES)[number], object>,
});

const PageStatusRef = builder.enumType('PageStatus', {
  description: 'Lifecycle status of a page.',
  values: {
    archived: { description: 'Archived: no longer in use, and can be restored by `restorePage`.' },
    draft: { description: 'Not yet published.' },
    published: { description: 'Published: visible to visitors.' },
  } satisfies Record<(typeof PAGE_STATUSES)[number], object>,
});

const LogoImageRef = builder.objectRef<LogoImage>('LogoImage');
builder.objectType(LogoImageRef, {
  description: 'Image file of a logo. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    altText: t.exposeString('altText', { nullable: true, description: 'Alternative text.' }),
    url: t.exposeString('url', { nullable: true, description: 'URL of the image.' }),
    fileId: t.exposeID('fileId', { nullable: true, description: 'Raw id of the file.' }),
    assetId: t.exposeID('assetId', { nullable: true, description: 'Raw id of the asset.' }),
  }),
});

const LogoRef = builder.objectRef<Logo>('Logo');
builder.objectType(LogoRef, {
  description: 'A logo on an action card.',
  fields: (t) => ({
    image: t.expose('image', {
      type: LogoImageRef,
      nullable: true,
      description: 'Image file of the logo. Null when the backend leaves it out.',
    }),
  }),
});

const ActionRef = builder.objectRef<Action>('Action');
builder.objectType(ActionRef, {
  description: 'A call to action on a page. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    actionId: t.exposeID('actionId', {
      nullable: true,
      description: 'Raw id of this action in the REST API.',
    }),
    actionIndex: t.exposeFloat('actionIndex', {
      nullable: true,
      description: 'Sort position among the actions of the page, ascending.',
    }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      description: 'Purpose of the action. The REST API does not document its values.',
    }),
    buttonTitle: t.exposeString('buttonTitle', {
      nullable: true,
      description: 'Label of the button.',
    }),
    actionType: t.exposeString('actionType', {
      nullable: true,
      description: 'Kind of action. The REST API does not document its values.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'URL that the action opens.' }),
  }),
});

const ActionCardWidgetRef = builder.objectRef<ActionCardWidget>('ActionCardWidget');
builder.objectType(ActionCardWidgetRef, {
  description:
    'A card shown beside the actions of a page. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    type: t.exposeString('type', {
      nullable: true,
      description: 'Kind of card. The REST API does not document its values.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'Heading of the card.' }),
    logos: t.expose('logos', {
      type: [LogoRef],
      nullable: true,
      description: 'Logos on the card, in display order.',
    }),
  }),
});

const ScriptRef = builder.objectRef<Script>('Script');
builder.objectType(ScriptRef, {
  description: 'A script embedded in a page. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    content: t.exposeString('content', {
      nullable: true,
      description: 'Source code of the script.',
    }),
    enabled: t.exposeBoolean('enabled', {
      nullable: true,
      description: 'Whether the script is embedded.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Internal name, for editors.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Internal description, for editors.',
    }),
    injectionPoint: t.exposeString('injectionPoint', {
      nullable: true,
      description:
        'Place in the document where the script is embedded. The REST API does not document its values.',
    }),
  }),
});

const FooterLinkRef = builder.objectRef<FooterLink>('FooterLink');
builder.objectType(FooterLinkRef, {
  description: 'A link in the footer of a page. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    linkId: t.exposeID('id', {
      nullable: true,
      description: 'Raw id of the link, which the REST API calls `id`.',
    }),
    text: t.exposeString('text', { nullable: true, description: 'Link text.' }),
    url: t.exposeString('url', { nullable: true, description: 'URL that the link opens.' }),
  }),
});

const FooterLinkGroupRef = builder.objectRef<FooterLinkGroup>('FooterLinkGroup');
builder.objectType(FooterLinkGroupRef, {
  description:
    'A group of links in the footer of a page. Any field is null when the backend leaves it out.',
  fields: (t) => ({
    groupId: t.exposeID('id', {
      nullable: true,
      description: 'Raw id of the group, which the REST API calls `id`.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'Heading of the group.' }),
    links: t.expose('links', {
      type: [FooterLinkRef],
      nullable: true,
      description: 'Links of the group, in display order.',
    }),
  }),
});

nodeType(pageEntity, {
  description: 'A page. Each visitor sees the variant that is made for their audience.',
  fields: (t) => ({
    pageId: t.exposeID('pageId', { description: 'Raw id of this page in the REST API.' }),
    name: t.exposeString('name', { description: 'Internal name, for editors.' }),
    title: t.exposeString('title', { description: 'Title shown to visitors.' }),
    brandId: t.exposeID('brandId', { description: 'Raw id of the brand of the page.' }),
    pageContext: t.exposeString('pageContext', {
      description: 'Context that describes what the page is about.',
    }),
    pageType: t.expose('pageType', {
      type: PageTypeRef,
      nullable: true,
      extensions: nullOnlyWithError(),
      description:
        'Purpose of the page. Null with an error when the backend answers a type that this schema does not have.',
    }),
    status: t.expose('status', {
      type: PageStatusRef,
      nullable: true,
      extensions: nullOnlyWithError(),
      description:
        'Lifecycle status. Null with an error when the backend answers a status that this schema does not have.',
    }),
    actions: t.expose('actions', {
      type: [ActionRef],
      description: 'Calls to action that visitors can choose from. No call of its own.',
    }),
    actionCardWidgets: t.expose('actionCardWidgets', {
      type: [ActionCardWidgetRef],
      description: 'Cards shown beside the actions, in display order. No call of its own.',
    }),
    scripts: t.expose('scripts', {
      type: [ScriptRef],
      description: 'Scripts embedded in the page. No call of its own.',
    }),
    footerLinks: t.expose('footerLinks', {
      type: [FooterLinkGroupRef],
      description: 'Groups of links in the footer, in display order. No call of its own.',
    }),
    audiencesCount: t.expose('audiencesCount', {
      type: 'SafeInt',
      description: 'Number of audiences of the page.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of archiving. Null if not archived.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of deletion. Null if not deleted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    headerActionId: t.exposeID('headerActionId', {
      nullable: true,
      description: 'Raw id of the action shown in the page header. Null when there is none.',
    }),
    metadata: t.expose('metadata', {
      type: PageMetadataRef,
      nullable: true,
      description:
        'Metadata for search engines and link previews. Null when there is none. No call of its own.',
    }),
  }),
});
