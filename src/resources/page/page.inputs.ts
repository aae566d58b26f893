/**
 * Inputs that are nested in the input of `createPage`, and metadata, which audiences take too.
 *
 * Source: interface.md, "Create page body". REST's `id` is `…Id` here, since `id` is a global id.
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

export const ActionInput = inputType('ActionInput', ActionBody, {
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

export const ActionCardWidgetInput = inputType('ActionCardWidgetInput', ActionCardWidgetBody, {
  description: 'A card shown next to the actions of a new page.',
  fields: { logos: LogoInput },
});

export const ScriptInput = inputType('ScriptInput', ScriptBody, {
  description: 'A script to embed in a new page.',
});

const FooterLinkInput = inputType('FooterLinkInput', FooterLinkBody, {
  description: 'A link in the footer of a new page.',
  renamed: { id: 'linkId' },
});

export const FooterLinkGroupInput = inputType('FooterLinkGroupInput', FooterLinkGroupBody, {
  description: 'A group of links in the footer of a new page.',
  fields: { links: FooterLinkInput },
  renamed: { id: 'groupId' },
});

export const PageMetadataInputRef = inputType('PageMetadataInput', PageMetadataInput, {
  description: 'Metadata for search engines and link previews.',
});
