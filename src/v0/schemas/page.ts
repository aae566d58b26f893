/**
 * Pages with their actions, widgets, scripts, footer links and metadata.
 *
 * Source: interface.md, "Page", "Create page body". Assumed: nested values may be absent or null.
 */
import { z } from 'zod';
import { PageMetadata, PageMetadataInput } from './page-metadata.ts';
import { counter, looseString, nullableTimestamp, timestamp } from '../primitive.ts';

export const PAGE_TYPES = ['inbound', 'outbound', 'call_followup', 'sales_deck', 'custom'] as const;
export const PAGE_STATUSES = ['archived', 'draft', 'published'] as const;

export const Action = z.object({
  actionId: looseString,
  actionIndex: z.number().nullish(),
  purpose: looseString,
  buttonTitle: looseString,
  actionType: looseString,
  url: looseString,
});
export type Action = z.infer<typeof Action>;

export const LogoImage = z.object({
  altText: looseString,
  url: looseString,
  fileId: looseString,
  assetId: looseString,
});
export type LogoImage = z.infer<typeof LogoImage>;

export const Logo = z.object({ image: LogoImage.nullish() });
export type Logo = z.infer<typeof Logo>;

export const ActionCardWidget = z.object({
  type: looseString,
  title: looseString,
  logos: z.array(Logo).nullish(),
});
export type ActionCardWidget = z.infer<typeof ActionCardWidget>;

/** Assumed: `injectionPoint` is in the public reference, not in the document. */
export const Script = z.object({
  content: looseString,
  enabled: z.boolean().nullish(),
  name: looseString,
  description: looseString,
  injectionPoint: looseString,
});
export type Script = z.infer<typeof Script>;

export const FooterLink = z.object({ id: looseString, text: looseString, url: looseString });
export type FooterLink = z.infer<typeof FooterLink>;

export const FooterLinkGroup = z.object({
  id: looseString,
  title: looseString,
  links: z.array(FooterLink).nullish(),
});
export type FooterLinkGroup = z.infer<typeof FooterLinkGroup>;

export const Page = z.object({
  pageId: z.string(),
  name: z.string(),
  title: z.string(),
  brandId: z.string(),
  pageContext: z.string(),
  pageType: z.enum(PAGE_TYPES),
  status: z.enum(PAGE_STATUSES),
  actions: z.array(Action),
  actionCardWidgets: z.array(ActionCardWidget),
  scripts: z.array(Script),
  footerLinks: z.array(FooterLinkGroup),
  audiencesCount: counter,
  archivedAt: nullableTimestamp,
  deletedAt: nullableTimestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
  headerActionId: looseString,
  metadata: PageMetadata.nullish(),
});
export type Page = z.infer<typeof Page>;

/** One hit of the page search. Assumed: extended route, see docs/assumptions.md. */
export const PageSearchHit = z.object({
  pageId: z.string(),
  name: z.string(),
  pageType: z.enum(PAGE_TYPES),
  audiencesCount: counter,
});
export type PageSearchHit = z.infer<typeof PageSearchHit>;

const optional = z.string().optional();

// Assumed: fields of nested objects are optional, since the document does not show which are required.

export const ActionBody = z.strictObject({
  purpose: optional,
  buttonTitle: optional,
  actionType: optional,
  url: optional,
  actionId: optional,
});

export const LogoImageBody = z.strictObject({
  altText: optional,
  url: optional,
  fileId: optional,
  assetId: optional,
});

export const LogoBody = z.strictObject({ image: LogoImageBody.optional() });

export const ActionCardWidgetBody = z.strictObject({
  type: optional,
  title: optional,
  logos: z.array(LogoBody).optional(),
});

export const ScriptBody = z.strictObject({
  content: optional,
  enabled: z.boolean().optional(),
  name: optional,
  description: optional,
  injectionPoint: optional,
});

export const FooterLinkBody = z.strictObject({ id: optional, text: optional, url: optional });

export const FooterLinkGroupBody = z.strictObject({
  id: optional,
  title: optional,
  links: z.array(FooterLinkBody).optional(),
});

/** Body of POST /v0/pages. */
export const CreatePageBody = z.strictObject({
  actions: z.array(ActionBody),
  actionCardWidgets: z.array(ActionCardWidgetBody),
  brandId: z.string(),
  name: z.string().min(1),
  pageContext: z.string().min(1),
  pageType: z.enum(PAGE_TYPES).default('inbound'),
  scripts: z.array(ScriptBody),
  footerLinks: z.array(FooterLinkGroupBody).optional(),
  headerActionId: optional,
  metadata: PageMetadataInput.optional(),
});
export type CreatePageBody = z.infer<typeof CreatePageBody>;

/** Body of POST /v0/pages/{page_id}/restore: an empty JSON object. */
export const RestorePageBody = z.strictObject({});
export type RestorePageBody = z.infer<typeof RestorePageBody>;
