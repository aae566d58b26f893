/**
 * Audiences, the variants of a page, and their versions.
 *
 * Source: interface.md, "Audience", "AudienceVersion", "Create audience body". Assumed: an
 * audience that was never published has no published version, so both versions may be null.
 */
import { z } from 'zod';
import { PageMetadata, PageMetadataInput } from './page-metadata.ts';
import { keyId, nullableString, nullableTimestamp, timestamp } from './primitive.ts';

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
const OPERATION_KEY_LENGTH = { min: 1, max: 128 } as const;

const SUPPLEMENTARY_CONTEXT = 'Context in addition to `Page.pageContext`. Null if there is none.';

export const AudienceVersion = z.object({
  versionId: keyId.describe('ID of this version.'),
  audienceId: keyId.describe('ID of the audience of this version.'),
  versionNumber: z.int().describe('Number of the version within its audience, starting at 1.'),
  status: z.enum(AUDIENCE_STATUSES).describe('Publishing status.'),
  isNewPageAgent: z.boolean().describe('Whether the new page agent serves this version.'),
  supplementaryContext: nullableString.describe(SUPPLEMENTARY_CONTEXT),
  queueDurationMs: z
    .number()
    .nullable()
    .describe('Time spent in the publishing queue, in milliseconds. Null if not measured.'),
  createdAt: timestamp.describe('Time of creation.'),
  becameDraftAt: nullableTimestamp.describe(
    'Time at which the version became a draft. Null if it never was one.',
  ),
  queuedAt: nullableTimestamp.describe('Time of queueing for publishing. Null if never queued.'),
  publishedAt: nullableTimestamp.describe('Time of publication. Null if never published.'),
  cancelledAt: nullableTimestamp.describe('Time of cancellation. Null if never cancelled.'),
  obsoleteAt: nullableTimestamp.describe(
    'Time at which a newer version replaced this one. Null if not replaced.',
  ),
  archivedAt: nullableTimestamp.describe('Time of archiving. Null if not archived.'),
});
export type AudienceVersion = z.infer<typeof AudienceVersion>;

export const Audience = z.object({
  audienceId: keyId.describe('ID of this audience.'),
  pageId: keyId.describe('ID of the page of this audience.'),
  computedName: z
    .string()
    .describe('Name computed by the backend. Shown if there is no `customName`.'),
  customName: nullableString.describe('Name given by a user. Null if there is none.'),
  effectiveName: z
    .string()
    .describe('Name to display: `customName`, or `computedName` if that is null.'),
  isNewPageAgent: z.boolean().describe('Whether the new page agent serves this audience.'),
  personId: nullableString.describe(
    'ID of the person that the audience is for. Null if it is not for a single person.',
  ),
  personRouteKey: nullableString.describe(
    'Key that identifies the person in URL paths. Null without a person.',
  ),
  status: z.enum(AUDIENCE_STATUSES).describe('Publishing status.'),
  supplementaryContext: nullableString.describe(SUPPLEMENTARY_CONTEXT),
  actionFormIdOverride: nullableString.describe(
    'ID of the form that replaces the form of the page. Null if it is not replaced.',
  ),
  actionFormInstructionsOverride: nullableString.describe(
    'Form instructions that replace those of the page. Null if they are not replaced.',
  ),
  actionUrlOverride: nullableString.describe(
    'URL that the action opens instead of the URL of the page. Null if it is not replaced.',
  ),
  archivedAt: nullableTimestamp.describe('Time of archiving. Null if not archived.'),
  createdAt: timestamp.describe('Time of creation.'),
  latestVersion: AudienceVersion.nullish().describe('Newest version, published or not.'),
  publishedVersion: AudienceVersion.nullish().describe(
    'Version that visitors see. Null if none was ever published.',
  ),
  effectiveMetadata: PageMetadata.nullish().describe(
    'Effective metadata: that of the page with `metadataOverride` applied. Null if there is none.',
  ),
  metadataOverride: PageMetadata.nullish().describe(
    'Metadata that overrides that of the page, field by field. Null if nothing is overridden.',
  ),
});
export type Audience = z.infer<typeof Audience>;

/** Body of POST /v0/pages/{page_id}/audiences. */
export const CreateAudienceBody = z.strictObject({
  publishBehavior: z
    .enum(PUBLISH_BEHAVIORS)
    .default('publish')
    .describe('Whether the first version is published immediately or stays a draft.'),
  actionFormIdOverride: z
    .string()
    .optional()
    .describe('ID of the form to use instead of the form of the page.'),
  actionFormInstructionsOverride: z
    .string()
    .optional()
    .describe('Instructions to show with the form instead of those of the page.'),
  actionUrlOverride: z
    .url()
    .optional()
    .describe(
      'URL to open when the action is triggered, instead of the URL of the page. Must be an absolute URL.',
    ),
  customName: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Name of the audience. Must not be empty. Defaults to a name computed by the backend.',
    ),
  metadataOverride: PageMetadataInput.optional().describe(
    'Metadata that overrides the metadata of the page, field by field.',
  ),
  supplementaryContext: z
    .string()
    .min(1)
    .optional()
    .describe('Context for this audience, in addition to `Page.pageContext`. Must not be empty.'),
});
export type CreateAudienceBody = z.infer<typeof CreateAudienceBody>;

/** Body of POST …/versions/{version_id}/publish. */
export const PublishVersionBody = z.strictObject({
  operationKey: z
    .string()
    .min(OPERATION_KEY_LENGTH.min)
    .max(OPERATION_KEY_LENGTH.max)
    .optional()
    .describe(
      `Idempotency key of ${OPERATION_KEY_LENGTH.min} to ${OPERATION_KEY_LENGTH.max} characters. Sending the same key again does not publish twice.`,
    ),
});
