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

const LogoImageRef = restType('LogoImage', LogoImage, {
  description: 'Image file of a logo. Any field is null when the backend leaves it out.',
});

const LogoRef = restType('Logo', Logo, {
  description: 'A logo on an action card.',
  fields: {
    image: {
      type: LogoImageRef,
      description: 'Image file of the logo. Null when the backend leaves it out.',
    },
  },
});

const ActionRef = restType('Action', Action, {
  description: 'A call to action on a page. Any field is null when the backend leaves it out.',
});

const ActionCardWidgetRef = restType('ActionCardWidget', ActionCardWidget, {
  description:
    'A card shown beside the actions of a page. Any field is null when the backend leaves it out.',
  fields: { logos: LogoRef },
});

const ScriptRef = restType('Script', Script, {
  description: 'A script embedded in a page. Any field is null when the backend leaves it out.',
});

const FooterLinkRef = restType('FooterLink', FooterLink, {
  description: 'A link in the footer of a page. Any field is null when the backend leaves it out.',
  renamed: { id: 'linkId' },
});

const FooterLinkGroupRef = restType('FooterLinkGroup', FooterLinkGroup, {
  description:
    'A group of links in the footer of a page. Any field is null when the backend leaves it out.',
  fields: { links: FooterLinkRef },
  renamed: { id: 'groupId' },
});

restType(pageEntity, Page, {
  description: 'A page. Each visitor sees the variant that is made for their audience.',
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
