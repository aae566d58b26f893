/**
 * The page as the graph shows it.
 *
 * Source: interface.md, "Page". What is nested in a page may be absent or null in practice.
 */
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import {
  PAGE_STATUSES,
  PAGE_TYPES,
  type Action,
  type ActionCardWidget,
  type FooterLink,
  type FooterLinkGroup,
  type Logo,
  type LogoImage,
  type Script,
} from '../../v0/page.ts';
import { pageEntity } from './page.entity.ts';
import { PageMetadataRef } from './page-metadata.type.ts';

export const PageTypeRef = builder.enumType('PageType', {
  description: 'What a page is for.',
  values: PAGE_TYPES,
});

const PageStatusRef = builder.enumType('PageStatus', {
  description: 'Where a page stands in its life.',
  values: PAGE_STATUSES,
});

const LogoImageRef = builder.objectRef<LogoImage>('LogoImage');
builder.objectType(LogoImageRef, {
  description: 'The picture of a logo.',
  fields: (t) => ({
    altText: t.exposeString('altText', {
      nullable: true,
      description: 'Text for those who can’t see it.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where the picture is.' }),
    fileId: t.exposeID('fileId', { nullable: true, description: 'The file, by its REST id.' }),
    assetId: t.exposeID('assetId', { nullable: true, description: 'The asset, by its REST id.' }),
  }),
});

const LogoRef = builder.objectRef<Logo>('Logo');
builder.objectType(LogoRef, {
  description: 'A logo on an action card.',
  fields: (t) => ({
    image: t.expose('image', { type: LogoImageRef, nullable: true, description: 'Its picture.' }),
  }),
});

const ActionRef = builder.objectRef<Action>('Action');
builder.objectType(ActionRef, {
  description: 'Something a visitor of the page can do.',
  fields: (t) => ({
    actionId: t.exposeID('actionId', { nullable: true, description: 'The id REST knows it by.' }),
    actionIndex: t.exposeFloat('actionIndex', {
      nullable: true,
      description: 'Its place among the actions.',
    }),
    purpose: t.exposeString('purpose', { nullable: true, description: 'What it is there for.' }),
    buttonTitle: t.exposeString('buttonTitle', {
      nullable: true,
      description: 'The text on its button.',
    }),
    actionType: t.exposeString('actionType', {
      nullable: true,
      description: 'What kind it is; the REST document lists no values.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where it leads.' }),
  }),
});

const ActionCardWidgetRef = builder.objectRef<ActionCardWidget>('ActionCardWidget');
builder.objectType(ActionCardWidgetRef, {
  description: 'A card beside the page’s actions.',
  fields: (t) => ({
    type: t.exposeString('type', {
      nullable: true,
      description: 'What kind it is; the REST document lists no values.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'Its heading.' }),
    logos: t.expose('logos', {
      type: [LogoRef],
      nullable: true,
      description: 'Logos on the card.',
    }),
  }),
});

const ScriptRef = builder.objectRef<Script>('Script');
builder.objectType(ScriptRef, {
  description: 'A script that runs on the page.',
  fields: (t) => ({
    content: t.exposeString('content', { nullable: true, description: 'Its source text.' }),
    enabled: t.exposeBoolean('enabled', { nullable: true, description: 'Whether it runs.' }),
    name: t.exposeString('name', { nullable: true, description: 'Its name.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it does.' }),
    injectionPoint: t.exposeString('injectionPoint', {
      nullable: true,
      description: 'Where on the page it is put.',
    }),
  }),
});

const FooterLinkRef = builder.objectRef<FooterLink>('FooterLink');
builder.objectType(FooterLinkRef, {
  description: 'One link in the footer.',
  fields: (t) => ({
    linkId: t.exposeID('id', { nullable: true, description: 'REST’s `id` of the link.' }),
    text: t.exposeString('text', { nullable: true, description: 'What it says.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where it leads.' }),
  }),
});

const FooterLinkGroupRef = builder.objectRef<FooterLinkGroup>('FooterLinkGroup');
builder.objectType(FooterLinkGroupRef, {
  description: 'Links that stand together in the footer.',
  fields: (t) => ({
    groupId: t.exposeID('id', { nullable: true, description: 'REST’s `id` of the group.' }),
    title: t.exposeString('title', { nullable: true, description: 'Its heading.' }),
    links: t.expose('links', { type: [FooterLinkRef], nullable: true, description: 'Its links.' }),
  }),
});

nodeType(pageEntity, {
  description: 'A page: what visitors see, in as many variants as it has audiences.',
  fields: (t) => ({
    pageId: t.exposeID('pageId', { description: 'The id REST knows this page by.' }),
    name: t.exposeString('name', { description: 'Its name among colleagues.' }),
    title: t.exposeString('title', { description: 'Its title for visitors.' }),
    brandId: t.exposeID('brandId', { description: 'The brand it belongs to, by its REST id.' }),
    pageContext: t.exposeString('pageContext', { description: 'What the page is about.' }),
    pageType: t.expose('pageType', {
      type: PageTypeRef,
      nullable: true,
      description: 'What it is for. Null with an error when the backend names a type unknown here.',
    }),
    status: t.expose('status', {
      type: PageStatusRef,
      nullable: true,
      description:
        'Where it stands. Null with an error when the backend names a status unknown here.',
    }),
    actions: t.expose('actions', { type: [ActionRef], description: 'What visitors can do.' }),
    actionCardWidgets: t.expose('actionCardWidgets', {
      type: [ActionCardWidgetRef],
      description: 'Cards beside the actions.',
    }),
    scripts: t.expose('scripts', { type: [ScriptRef], description: 'Scripts that run on it.' }),
    footerLinks: t.expose('footerLinks', {
      type: [FooterLinkGroupRef],
      description: 'Groups of links in its footer.',
    }),
    audiencesCount: t.expose('audiencesCount', {
      type: 'SafeInt',
      description: 'How many audiences it has.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived; null while it is not.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted; null while it is not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    headerActionId: t.exposeID('headerActionId', {
      nullable: true,
      description: 'The action in its header, by its REST id.',
    }),
    metadata: t.expose('metadata', {
      type: PageMetadataRef,
      nullable: true,
      description: 'What search engines and link previews are told.',
    }),
  }),
});
