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

export const PageRef = builder.objectRef<Page>('Page');

export const pageEntity = new Entity({
  ref: PageRef,
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

/** What the fields of nested objects mean, in types and inputs. */
export const DESCRIPTIONS = {
  logoImage: {
    altText: 'Alternative text.',
    url: 'URL of the image.',
    fileId: 'Raw id of the file.',
    assetId: 'Raw id of the asset.',
  },
  action: {
    purpose: 'Purpose of the action. The REST API does not document its values.',
    buttonTitle: 'Label of the button.',
    actionType: 'Kind of action. The REST API does not document its values.',
    url: 'URL that the action opens.',
  },
  actionCardWidget: {
    type: 'Kind of card. The REST API does not document its values.',
    title: 'Heading of the card.',
  },
  script: {
    content: 'Source code of the script.',
    enabled: 'Whether the script is embedded.',
    name: 'Internal name, for editors.',
    description: 'Internal description, for editors.',
    injectionPoint:
      'Place in the document where the script is embedded. The REST API does not document its values.',
  },
  footerLink: { text: 'Link text.', url: 'URL that the link opens.' },
} as const;

const LogoImageRef = restType('LogoImage', LogoImage, {
  description: 'Image file of a logo. Any field is null when the backend leaves it out.',
  fields: DESCRIPTIONS.logoImage,
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
  fields: {
    actionId: 'Raw id of this action in the REST API.',
    actionIndex: 'Sort position among the actions of the page, ascending.',
    ...DESCRIPTIONS.action,
  },
});

const ActionCardWidgetRef = restType('ActionCardWidget', ActionCardWidget, {
  description:
    'A card shown beside the actions of a page. Any field is null when the backend leaves it out.',
  fields: {
    ...DESCRIPTIONS.actionCardWidget,
    logos: { type: LogoRef, description: 'Logos on the card, in display order.' },
  },
});

const ScriptRef = restType('Script', Script, {
  description: 'A script embedded in a page. Any field is null when the backend leaves it out.',
  fields: DESCRIPTIONS.script,
});

const FooterLinkRef = restType('FooterLink', FooterLink, {
  description: 'A link in the footer of a page. Any field is null when the backend leaves it out.',
  fields: DESCRIPTIONS.footerLink,
  added: (t) => ({
    linkId: t.exposeID('id', {
      nullable: true,
      description: 'Raw id of the link, which the REST API calls `id`.',
    }),
  }),
});

const FooterLinkGroupRef = restType('FooterLinkGroup', FooterLinkGroup, {
  description:
    'A group of links in the footer of a page. Any field is null when the backend leaves it out.',
  fields: {
    title: 'Heading of the group.',
    links: { type: FooterLinkRef, description: 'Links of the group, in display order.' },
  },
  added: (t) => ({
    groupId: t.exposeID('id', {
      nullable: true,
      description: 'Raw id of the group, which the REST API calls `id`.',
    }),
  }),
});

restType(pageEntity, Page, {
  description: 'A page. Each visitor sees the variant that is made for their audience.',
  fields: {
    pageId: 'Raw id of this page in the REST API.',
    name: 'Internal name, for editors.',
    title: 'Title shown to visitors.',
    brandId: 'Raw id of the brand of the page.',
    pageContext: 'Context that describes what the page is about.',
    pageType: {
      type: PageTypeRef,
      description:
        'Purpose of the page. Null with an error when the backend answers a type that this schema does not have.',
    },
    status: {
      type: PageStatusRef,
      description:
        'Lifecycle status. Null with an error when the backend answers a status that this schema does not have.',
    },
    actions: {
      type: ActionRef,
      description: 'Calls to action that visitors can choose from. No call of its own.',
    },
    actionCardWidgets: {
      type: ActionCardWidgetRef,
      description: 'Cards shown beside the actions, in display order. No call of its own.',
    },
    scripts: {
      type: ScriptRef,
      description: 'Scripts embedded in the page. No call of its own.',
    },
    footerLinks: {
      type: FooterLinkGroupRef,
      description: 'Groups of links in the footer, in display order. No call of its own.',
    },
    audiencesCount: 'Number of audiences of the page.',
    archivedAt: 'Time of archiving. Null if not archived.',
    deletedAt: 'Time of deletion. Null if not deleted.',
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
    headerActionId: 'Raw id of the action shown in the page header. Null when there is none.',
    metadata: {
      type: PageMetadataRef,
      description:
        'Metadata for search engines and link previews. Null when there is none. No call of its own.',
    },
  },
});
