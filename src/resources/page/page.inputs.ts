/**
 * Inputs that are nested in the input of `createPage`, and metadata, which audiences take too.
 *
 * Source: interface.md, "Create page body". Nested fields are optional, since the document does not
 * show which are required; what `id` is to REST is `…Id` here, because `id` means a global id.
 */
import { builder } from '../../graph/types/builder.ts';
import { METADATA_DESCRIPTIONS } from './page-metadata.type.ts';

export const ActionInput = builder.inputType('ActionInput', {
  description: 'A call to action of a new page.',
  fields: (t) => ({
    purpose: t.string({
      description: 'Purpose of the action. The REST API does not document its values.',
    }),
    buttonTitle: t.string({ description: 'Label of the button.' }),
    actionType: t.string({
      description: 'Kind of action. The REST API does not document its values.',
    }),
    url: t.string({ description: 'URL that the action opens.' }),
    actionId: t.id({ description: 'Raw id that the action gets in the REST API.' }),
  }),
});

const LogoImageInput = builder.inputType('LogoImageInput', {
  description: 'Image file of a logo.',
  fields: (t) => ({
    altText: t.string({ description: 'Alternative text.' }),
    url: t.string({ description: 'URL of the image.' }),
    fileId: t.id({ description: 'Raw id of the file.' }),
    assetId: t.id({ description: 'Raw id of the asset.' }),
  }),
});

const LogoInput = builder.inputType('LogoInput', {
  description: 'A logo on an action card of a new page.',
  fields: (t) => ({
    image: t.field({ type: LogoImageInput, description: 'Image file of the logo.' }),
  }),
});

export const ActionCardWidgetInput = builder.inputType('ActionCardWidgetInput', {
  description: 'A card shown beside the actions of a new page.',
  fields: (t) => ({
    type: t.string({ description: 'Kind of card. The REST API does not document its values.' }),
    title: t.string({ description: 'Heading of the card.' }),
    logos: t.field({ type: [LogoInput], description: 'Logos on the card, in display order.' }),
  }),
});

export const ScriptInput = builder.inputType('ScriptInput', {
  description: 'A script to embed in a new page.',
  fields: (t) => ({
    content: t.string({ description: 'Source code of the script.' }),
    enabled: t.boolean({ description: 'Whether the script is embedded.' }),
    name: t.string({ description: 'Internal name, for editors.' }),
    description: t.string({ description: 'Internal description, for editors.' }),
    injectionPoint: t.string({
      description:
        'Place in the document where the script is embedded. The REST API does not document its values.',
    }),
  }),
});

const FooterLinkInput = builder.inputType('FooterLinkInput', {
  description: 'A link in the footer of a new page.',
  fields: (t) => ({
    linkId: t.id({ description: 'Raw id of the link, which the REST API calls `id`.' }),
    text: t.string({ description: 'Link text.' }),
    url: t.string({ description: 'URL that the link opens.' }),
  }),
});

export const FooterLinkGroupInput = builder.inputType('FooterLinkGroupInput', {
  description: 'A group of links in the footer of a new page.',
  fields: (t) => ({
    groupId: t.id({ description: 'Raw id of the group, which the REST API calls `id`.' }),
    title: t.string({ description: 'Heading of the group.' }),
    links: t.field({
      type: [FooterLinkInput],
      description: 'Links of the group, in display order.',
    }),
  }),
});

export const PageMetadataInputRef = builder.inputType('PageMetadataInput', {
  description: 'Metadata for search engines and link previews.',
  fields: (t) => {
    const text = (name: keyof typeof METADATA_DESCRIPTIONS) =>
      t.string({ description: METADATA_DESCRIPTIONS[name] });
    return {
      title: text('title'),
      description: text('description'),
      keywords: t.stringList({ description: METADATA_DESCRIPTIONS.keywords }),
      author: text('author'),
      robots: t.stringList({ description: METADATA_DESCRIPTIONS.robots }),
      canonicalUrl: text('canonicalUrl'),
      ogTitle: text('ogTitle'),
      ogDescription: text('ogDescription'),
      ogImageAlt: text('ogImageAlt'),
      ogSiteName: text('ogSiteName'),
      ogUrl: text('ogUrl'),
      twitterTitle: text('twitterTitle'),
      twitterDescription: text('twitterDescription'),
      twitterImageAlt: text('twitterImageAlt'),
      twitterSite: text('twitterSite'),
      twitterCreator: text('twitterCreator'),
      themeColor: text('themeColor'),
    };
  },
});
