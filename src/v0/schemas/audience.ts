/**
 * Audiences, the variants of a page, and their versions.
 *
 * Source: interface.md, "Audience", "AudienceVersion", "Create audience body". Assumed: an
 * audience that was never published has no published version, so both versions may be null.
 */
import { z } from 'zod';
import { PageMetadata, PageMetadataInput } from './page-metadata.ts';
import { nullableString, nullableTimestamp, timestamp } from '../primitive.ts';

export const AUDIENCE_STATUSES = [
  'archived',
  'cancelled',
  'draft',
  'pending',
  'processing',
  'published',
  'queued',
] as const;
export const PUBLISH_BEHAVIORS = ['draft', 'publish'] as const;

/** Length of a publish operation key, in characters. Source: "Limits". */
export const OPERATION_KEY_LENGTH = { min: 1, max: 128 } as const;

export const AudienceVersion = z.object({
  versionId: z.string(),
  audienceId: z.string(),
  versionNumber: z.int(),
  status: z.enum(AUDIENCE_STATUSES),
  isNewPageAgent: z.boolean(),
  supplementaryContext: nullableString,
  queueDurationMs: z.number().nullable(),
  createdAt: timestamp,
  becameDraftAt: nullableTimestamp,
  queuedAt: nullableTimestamp,
  publishedAt: nullableTimestamp,
  cancelledAt: nullableTimestamp,
  obsoleteAt: nullableTimestamp,
  archivedAt: nullableTimestamp,
});
export type AudienceVersion = z.infer<typeof AudienceVersion>;

export const Audience = z.object({
  audienceId: z.string(),
  pageId: z.string(),
  computedName: z.string(),
  customName: nullableString,
  effectiveName: z.string(),
  isNewPageAgent: z.boolean(),
  personId: nullableString,
  personRouteKey: nullableString,
  status: z.enum(AUDIENCE_STATUSES),
  supplementaryContext: nullableString,
  actionFormIdOverride: nullableString,
  actionFormInstructionsOverride: nullableString,
  actionUrlOverride: nullableString,
  archivedAt: nullableTimestamp,
  createdAt: timestamp,
  latestVersion: AudienceVersion.nullish(),
  publishedVersion: AudienceVersion.nullish(),
  effectiveMetadata: PageMetadata.nullish(),
  metadataOverride: PageMetadata.nullish(),
});
export type Audience = z.infer<typeof Audience>;

/** Body of POST /v0/pages/{page_id}/audiences. */
export const CreateAudienceBody = z.strictObject({
  publishBehavior: z.enum(PUBLISH_BEHAVIORS).default('publish'),
  actionFormIdOverride: z.string().optional(),
  actionFormInstructionsOverride: z.string().optional(),
  actionUrlOverride: z.url().optional(),
  customName: z.string().min(1).optional(),
  metadataOverride: PageMetadataInput.optional(),
  supplementaryContext: z.string().min(1).optional(),
});
export type CreateAudienceBody = z.infer<typeof CreateAudienceBody>;

/** Body of POST …/versions/{version_id}/publish. */
export const PublishVersionBody = z.strictObject({
  operationKey: z.string().min(OPERATION_KEY_LENGTH.min).max(OPERATION_KEY_LENGTH.max).optional(),
});
export type PublishVersionBody = z.infer<typeof PublishVersionBody>;
