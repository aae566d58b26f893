/**
 * The type of pages, with all that is nested in one.
 *
 * Source: interface.md, "Page". What is nested in a page may be absent or null in practice.
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import {
  Action,
  ActionCardWidget,
  FooterLink,
  FooterLinkGroup,
  Logo,
  LogoImage,
  Page,
  Script,
  type PAGE_STATUSES,
  type PAGE_TYPES,
} from '../../v0/schemas/page.ts';
import { routes } from '../../v0/routes.ts';
import { PageMetadataRef } from './page-metadata.type.ts';

export const pageEntity = new Entity({
  ref: builder.objectRef<Page>('Page'),
  key: ['pageId'],
  route: routes.getPage,
});

export const PageTypeRef = builder.enumType('PageType', {
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
