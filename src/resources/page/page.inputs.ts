/**
 * What is nested in the input of `createPage`, and in the metadata of audiences.
 *
 * Source: interface.md, "Create page body". Nested fields are optional, since the document does not
 * show which are required; what `id` is to REST is `…Id` here, because `id` means a global id.
 */
import { builder } from '../../graph/types/builder.ts';

export const ActionInput = builder.inputType('ActionInput', {
  description: 'An action of a new page.',
  fields: (t) => ({
    purpose: t.string({ description: 'What it is there for.' }),
    buttonTitle: t.string({ description: 'The text on its button.' }),
    actionType: t.string({ description: 'What kind it is.' }),
    url: t.string({ description: 'Where it leads.' }),
    actionId: t.id({ description: 'The id REST is to know it by.' }),
  }),
});

const LogoImageInput = builder.inputType('LogoImageInput', {
  description: 'The picture of a logo.',
  fields: (t) => ({
    altText: t.string({ description: 'Text for those who can’t see it.' }),
    url: t.string({ description: 'Where the picture is.' }),
    fileId: t.id({ description: 'The file, by its REST id.' }),
    assetId: t.id({ description: 'The asset, by its REST id.' }),
  }),
});

const LogoInput = builder.inputType('LogoInput', {
  description: 'A logo on an action card.',
  fields: (t) => ({ image: t.field({ type: LogoImageInput, description: 'Its picture.' }) }),
});

export const ActionCardWidgetInput = builder.inputType('ActionCardWidgetInput', {
  description: 'A card beside the actions of a new page.',
  fields: (t) => ({
    type: t.string({ description: 'What kind it is.' }),
    title: t.string({ description: 'Its heading.' }),
    logos: t.field({ type: [LogoInput], description: 'Logos on the card.' }),
  }),
});

export const ScriptInput = builder.inputType('ScriptInput', {
  description: 'A script of a new page.',
  fields: (t) => ({
    content: t.string({ description: 'Its source text.' }),
    enabled: t.boolean({ description: 'Whether it runs.' }),
    name: t.string({ description: 'Its name.' }),
    description: t.string({ description: 'What it does.' }),
    injectionPoint: t.string({ description: 'Where on the page it is put.' }),
  }),
});

const FooterLinkInput = builder.inputType('FooterLinkInput', {
  description: 'One link in the footer of a new page.',
  fields: (t) => ({
    linkId: t.id({ description: 'REST’s `id` of the link.' }),
    text: t.string({ description: 'What it says.' }),
    url: t.string({ description: 'Where it leads.' }),
  }),
});

export const FooterLinkGroupInput = builder.inputType('FooterLinkGroupInput', {
  description: 'Links that stand together in the footer of a new page.',
  fields: (t) => ({
    groupId: t.id({ description: 'REST’s `id` of the group.' }),
    title: t.string({ description: 'Its heading.' }),
    links: t.field({ type: [FooterLinkInput], description: 'Its links.' }),
  }),
});

export const PageMetadataInputRef = builder.inputType('PageMetadataInput', {
  description: 'What search engines and link previews are to be told.',
  fields: (t) => ({
    title: t.string({ description: 'The title of the document.' }),
    description: t.string({ description: 'The description in search results.' }),
    keywords: t.stringList({ description: 'Keywords.' }),
    author: t.string({ description: 'Who wrote it.' }),
    robots: t.stringList({ description: 'Directives for crawlers.' }),
    canonicalUrl: t.string({ description: 'The address that counts for search engines.' }),
    ogTitle: t.string({ description: 'Open Graph: the title.' }),
    ogDescription: t.string({ description: 'Open Graph: the description.' }),
    ogImageAlt: t.string({ description: 'Open Graph: text instead of the picture.' }),
    ogSiteName: t.string({ description: 'Open Graph: the name of the site.' }),
    ogUrl: t.string({ description: 'Open Graph: the address.' }),
    twitterTitle: t.string({ description: 'Twitter card: the title.' }),
    twitterDescription: t.string({ description: 'Twitter card: the description.' }),
    twitterImageAlt: t.string({ description: 'Twitter card: text instead of the picture.' }),
    twitterSite: t.string({ description: 'Twitter card: the account of the site.' }),
    twitterCreator: t.string({ description: 'Twitter card: the account of the author.' }),
    themeColor: t.string({ description: 'The colour browsers put around the page.' }),
  }),
});
