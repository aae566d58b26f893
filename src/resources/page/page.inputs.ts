/**
 * Inputs that are nested in the input of `createPage`, and metadata, which audiences take too.
 *
 * Source: interface.md, "Create page body". What `id` is to REST is `…Id` here, because `id` means a global id.
 */
import { inputType } from '../../graph/schema/rest-type.ts';
import {
  ActionBody,
  ActionCardWidgetBody,
  FooterLinkBody,
  FooterLinkGroupBody,
  LogoBody,
  LogoImageBody,
  ScriptBody,
} from '../../v0/schemas/page.ts';
import { PageMetadataInput } from '../../v0/schemas/page-metadata.ts';
import { METADATA_DESCRIPTIONS } from './page-metadata.type.ts';
import { DESCRIPTIONS } from './page.type.ts';

export const ActionInput = inputType('ActionInput', ActionBody, {
  description: 'A call to action of a new page.',
  fields: {
    ...DESCRIPTIONS.action,
    actionId: 'Raw id that the action gets in the REST API.',
  },
});

const LogoImageInput = inputType('LogoImageInput', LogoImageBody, {
  description: 'Image file of a logo.',
  fields: DESCRIPTIONS.logoImage,
});

const LogoInput = inputType('LogoInput', LogoBody, {
  description: 'A logo on an action card of a new page.',
  fields: { image: { type: LogoImageInput, description: 'Image file of the logo.' } },
});

export const ActionCardWidgetInput = inputType('ActionCardWidgetInput', ActionCardWidgetBody, {
  description: 'A card shown beside the actions of a new page.',
  fields: {
    ...DESCRIPTIONS.actionCardWidget,
    logos: { type: LogoInput, description: 'Logos on the card, in display order.' },
  },
});

export const ScriptInput = inputType('ScriptInput', ScriptBody, {
  description: 'A script to embed in a new page.',
  fields: DESCRIPTIONS.script,
});

const FooterLinkInput = inputType('FooterLinkInput', FooterLinkBody, {
  description: 'A link in the footer of a new page.',
  fields: DESCRIPTIONS.footerLink,
  added: (t) => ({
    linkId: t.id({ description: 'Raw id of the link, which the REST API calls `id`.' }),
  }),
});

export const FooterLinkGroupInput = inputType('FooterLinkGroupInput', FooterLinkGroupBody, {
  description: 'A group of links in the footer of a new page.',
  fields: {
    title: 'Heading of the group.',
    links: { type: FooterLinkInput, description: 'Links of the group, in display order.' },
  },
  added: (t) => ({
    groupId: t.id({ description: 'Raw id of the group, which the REST API calls `id`.' }),
  }),
});

export const PageMetadataInputRef = inputType('PageMetadataInput', PageMetadataInput, {
  description: 'Metadata for search engines and link previews.',
  fields: METADATA_DESCRIPTIONS,
});
