/**
 * Pages with their actions, widgets, scripts, footer links and metadata.
 *
 * Source: interface.md, "Page", "Create page body". Assumed: nested values may be absent or null.
 */
import { z } from 'zod';
import { bodyOf } from './body.ts';
import { PageMetadata, PageMetadataInput } from './page-metadata.ts';
import { counter, keyId, looseString, nullableTimestamp, timestamp } from './primitive.ts';

export const PAGE_TYPES = ['inbound', 'outbound', 'call_followup', 'sales_deck', 'custom'] as const;
export const PAGE_STATUSES = ['archived', 'draft', 'published'] as const;

export const Action = z.object({
  actionId: looseString.describe('ID of this action.'),
  actionIndex: z
    .number()
    .nullish()
    .describe('Sort position among the actions of the page, ascending.'),
  purpose: looseString.describe(
    'Purpose of the action. The REST API does not document its values.',
  ),
  buttonTitle: looseString.describe('Label of the button.'),
  actionType: looseString.describe('Kind of action. The REST API does not document its values.'),
  url: looseString.describe('URL that the action opens.'),
});
export type Action = z.infer<typeof Action>;

export const LogoImage = z.object({
  altText: looseString.describe('Alternative text.'),
  url: looseString.describe('URL of the image.'),
  fileId: looseString.describe('ID of the file.'),
  assetId: looseString.describe('ID of the asset.'),
});

export const Logo = z.object({ image: LogoImage.nullish().describe('Image file of the logo.') });

export const ActionCardWidget = z.object({
  type: looseString.describe('Kind of card. The REST API does not document its values.'),
  title: looseString.describe('Heading of the card.'),
  logos: z.array(Logo).nullish().describe('Logos on the card, in display order.'),
});
export type ActionCardWidget = z.infer<typeof ActionCardWidget>;

/** Assumed: `injectionPoint` is in the public reference, not in the document. */
export const Script = z.object({
  content: looseString.describe('Source code of the script.'),
  enabled: z.boolean().nullish().describe('Whether the script is embedded.'),
  name: looseString.describe('Internal name, for editors.'),
  description: looseString.describe('Internal description, for editors.'),
  injectionPoint: looseString.describe(
    'Place in the document where the script is injected. The REST API does not document its values.',
  ),
});
export type Script = z.infer<typeof Script>;

export const FooterLink = z.object({
  id: looseString.describe('ID of the link.'),
  text: looseString.describe('Link text.'),
  url: looseString.describe('URL that the link opens.'),
});

export const FooterLinkGroup = z.object({
  id: looseString.describe('ID of the group.'),
  title: looseString.describe('Heading of the group.'),
  links: z.array(FooterLink).nullish().describe('Links of the group, in display order.'),
});
export type FooterLinkGroup = z.infer<typeof FooterLinkGroup>;

const PAGE_CONTEXT = 'Context that describes what the page is about.';

export const Page = z.object({
  pageId: keyId.describe('ID of this page.'),
  name: z.string().describe('Internal name, for editors.'),
  title: z.string().describe('Title shown to visitors.'),
  brandId: z.string().describe('ID of the brand of the page.'),
  pageContext: z.string().describe(PAGE_CONTEXT),
  pageType: z.enum(PAGE_TYPES).describe('Purpose of the page.'),
  status: z.enum(PAGE_STATUSES).describe('Lifecycle status.'),
  actions: z.array(Action).describe('Calls to action that visitors can choose from.'),
  actionCardWidgets: z
    .array(ActionCardWidget)
    .describe('Cards shown next to the actions, in display order.'),
  scripts: z.array(Script).describe('Scripts embedded in the page.'),
  footerLinks: z
    .array(FooterLinkGroup)
    .describe('Groups of links in the footer, in display order.'),
  audiencesCount: counter.describe('Number of audiences of the page.'),
  archivedAt: nullableTimestamp.describe('Time of archiving. Null if not archived.'),
  deletedAt: nullableTimestamp.describe('Time of deletion. Null if not deleted.'),
  createdAt: timestamp.describe('Time of creation.'),
  updatedAt: timestamp.describe('Time of the last change.'),
  headerActionId: looseString.describe(
    'ID of the action shown in the page header. Null if there is none.',
  ),
  metadata: PageMetadata.nullish().describe(
    'Metadata for search engines and link previews. Null if there is none.',
  ),
});
export type Page = z.infer<typeof Page>;

/** One hit of the page search. Assumed: optional route, see docs/assumptions.md. */
export const PageSearchHit = z.object({
  pageId: keyId.describe('ID of the page.'),
  name: z.string().describe('Internal name of the page, for editors.'),
  pageType: Page.shape.pageType,
  audiencesCount: Page.shape.audiencesCount,
});
export type PageSearchHit = z.infer<typeof PageSearchHit>;

// Assumed: fields of nested objects are optional, since the document does not show which are required.

export const ActionBody = bodyOf(Action, 'actionIndex');
export const LogoImageBody = bodyOf(LogoImage);
export const LogoBody = bodyOf(Logo);
export const ActionCardWidgetBody = bodyOf(ActionCardWidget);
export const ScriptBody = bodyOf(Script);
export const FooterLinkBody = bodyOf(FooterLink);
export const FooterLinkGroupBody = bodyOf(FooterLinkGroup);

/** Body of POST /v0/pages. */
export const CreatePageBody = z.strictObject({
  actions: z
    .array(ActionBody)
    .describe('Calls to action that visitors can choose from, in display order.'),
  actionCardWidgets: z
    .array(ActionCardWidgetBody)
    .describe('Cards shown next to the actions, in display order.'),
  brandId: z.string().describe('ID of the brand of the page.'),
  name: z.string().min(1).describe('Internal name. Must not be empty.'),
  pageContext: z.string().min(1).describe(`${PAGE_CONTEXT} Must not be empty.`),
  pageType: z.enum(PAGE_TYPES).default('inbound').describe('Purpose of the page.'),
  scripts: z.array(ScriptBody).describe('Scripts to embed in the page.'),
  footerLinks: z
    .array(FooterLinkGroupBody)
    .optional()
    .describe('Groups of links in the footer, in display order.'),
  headerActionId: z.string().optional().describe('ID of the action shown in the page header.'),
  metadata: PageMetadataInput.optional().describe('Metadata for search engines and link previews.'),
});
export type CreatePageBody = z.infer<typeof CreatePageBody>;

/** Body of POST /v0/pages/{page_id}/restore: an empty JSON object. */
export const RestorePageBody = z.strictObject({});
