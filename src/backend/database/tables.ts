/**
 * The tables of the embedded backend for Drizzle.
 *
 * Every table has `tenantId`. Timestamps are epoch milliseconds in columns whose names end in `At`. Indexes are in
 * `migrations/`; a change requires a SQL file there and an entry in `migrations/meta/_journal.json`.
 */
import { createHash } from 'node:crypto';
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { AUDIENCE_STATUSES } from '../../v0/schemas/audience.ts';
import {
  PAGE_STATUSES,
  PAGE_TYPES,
  type Action,
  type ActionCardWidget,
  type FooterLinkGroup,
  type Script,
} from '../../v0/schemas/page.ts';
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';
import type { EntryContent } from '../../v0/schemas/topic.ts';

const tenantId = () => text('tenant_id').notNull();
const moment = (name: string) => integer(name);
const json = (name: string) => text(name, { mode: 'json' });
const flag = (name: string) => integer(name, { mode: 'boolean' }).notNull();
const status = () => text('status', { enum: AUDIENCE_STATUSES }).notNull();
const times = () => ({
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at').notNull(),
});

/** SHA-256 in hex, stored instead of a key, so a copied database reveals none. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const apiKeys = sqliteTable('api_keys', {
  keyHash: text('key_hash').primaryKey(),
  tenantId: tenantId(),
});

export const tenantDomains = sqliteTable('tenant_domains', {
  tenantDomainId: text('tenant_domain_id').primaryKey(),
  tenantId: tenantId(),
  host: text('host').notNull(),
  isFallback: flag('is_fallback'),
});

export const pages = sqliteTable('pages', {
  pageId: text('page_id').primaryKey(),
  tenantId: tenantId(),
  name: text('name').notNull(),
  title: text('title').notNull(),
  brandId: text('brand_id').notNull(),
  pageContext: text('page_context').notNull(),
  pageType: text('page_type', { enum: PAGE_TYPES }).notNull(),
  status: text('status', { enum: PAGE_STATUSES }).notNull(),
  actions: json('actions').$type<Action[]>().notNull(),
  actionCardWidgets: json('action_card_widgets').$type<ActionCardWidget[]>().notNull(),
  scripts: json('scripts').$type<Script[]>().notNull(),
  footerLinks: json('footer_links').$type<FooterLinkGroup[]>().notNull(),
  headerActionId: text('header_action_id'),
  metadata: json('metadata').$type<PageMetadata>(),
  archivedAt: moment('archived_at'),
  deletedAt: moment('deleted_at'),
  ...times(),
});
export type PageRow = typeof pages.$inferSelect;

export const audiences = sqliteTable('audiences', {
  audienceId: text('audience_id').primaryKey(),
  tenantId: tenantId(),
  pageId: text('page_id').notNull(),
  computedName: text('computed_name').notNull(),
  customName: text('custom_name'),
  isNewPageAgent: flag('is_new_page_agent'),
  personId: text('person_id'),
  personRouteKey: text('person_route_key'),
  status: status(),
  supplementaryContext: text('supplementary_context'),
  actionFormIdOverride: text('action_form_id_override'),
  actionFormInstructionsOverride: text('action_form_instructions_override'),
  actionUrlOverride: text('action_url_override'),
  metadataOverride: json('metadata_override').$type<PageMetadata>(),
  latestVersionId: text('latest_version_id').notNull(),
  publishedVersionId: text('published_version_id'),
  archivedAt: moment('archived_at'),
  createdAt: moment('created_at').notNull(),
});
export type AudienceRow = typeof audiences.$inferSelect;

export const versions = sqliteTable('audience_versions', {
  versionId: text('version_id').primaryKey(),
  tenantId: tenantId(),
  audienceId: text('audience_id').notNull(),
  versionNumber: integer('version_number').notNull(),
  status: status(),
  isNewPageAgent: flag('is_new_page_agent'),
  supplementaryContext: text('supplementary_context'),
  queueDurationMs: integer('queue_duration_ms'),
  createdAt: moment('created_at').notNull(),
  becameDraftAt: moment('became_draft_at'),
  queuedAt: moment('queued_at'),
  publishedAt: moment('published_at'),
  cancelledAt: moment('cancelled_at'),
  obsoleteAt: moment('obsolete_at'),
  archivedAt: moment('archived_at'),
});
export type VersionRow = typeof versions.$inferSelect;

/** Versions by operation key, which makes publishing idempotent. */
export const publishOperations = sqliteTable('publish_operations', {
  tenantId: tenantId(),
  operationKey: text('operation_key').notNull(),
  versionId: text('version_id').notNull(),
});

export const topics = sqliteTable('topics', {
  topicId: text('topic_id').primaryKey(),
  tenantId: tenantId(),
  title: text('title').notNull(),
  purpose: text('purpose'),
  sortOrder: real('sort_order').notNull(),
  isDefault: flag('is_default'),
  ...times(),
});
export type TopicRow = typeof topics.$inferSelect;

export const topicEntries = sqliteTable('topic_entries', {
  topicEntryId: text('topic_entry_id').primaryKey(),
  tenantId: tenantId(),
  topicId: text('topic_id').notNull(),
  sortOrder: real('sort_order').notNull(),
  content: json('content').$type<EntryContent>().notNull(),
  ...times(),
});
export type TopicEntryRow = typeof topicEntries.$inferSelect;

export const pageLinks = sqliteTable('page_links', {
  pageLinkId: text('page_link_id').primaryKey(),
  tenantId: tenantId(),
  tenantDomainId: text('tenant_domain_id').notNull(),
  path: text('path').notNull(),
  targetType: text('target_type').notNull(),
  audienceId: text('audience_id').notNull(),
  ...times(),
  deletedAt: moment('deleted_at'),
});
export type PageLinkRow = typeof pageLinks.$inferSelect;

export const accounts = sqliteTable('accounts', {
  accountId: text('account_id').primaryKey(),
  tenantId: tenantId(),
  domain: text('domain').notNull(),
  name: text('name'),
  ...times(),
});
export type AccountRow = typeof accounts.$inferSelect;

export const persons = sqliteTable('persons', {
  personId: text('person_id').primaryKey(),
  tenantId: tenantId(),
  name: text('name').notNull(),
  email: text('email'),
  domain: text('domain'),
  slug: text('slug').notNull(),
  phoneNumber: text('phone_number'),
  linkedinProfileUrl: text('linkedin_profile_url'),
  ...times(),
});
export type PersonRow = typeof persons.$inferSelect;

const logColumns = () => ({
  source: text('source').notNull(),
  type: text('type').notNull(),
  payload: json('payload').$type<Record<string, unknown>>().notNull(),
  idempotencyKey: text('idempotency_key'),
  createdAt: moment('created_at').notNull(),
  updatedAt: moment('updated_at'),
  deletedAt: moment('deleted_at'),
});

export const personLogs = sqliteTable('person_logs', {
  personLogId: text('person_log_id').primaryKey(),
  tenantId: tenantId(),
  personId: text('person_id').notNull(),
  ...logColumns(),
});

export const accountLogs = sqliteTable('account_logs', {
  accountLogId: text('account_log_id').primaryKey(),
  tenantId: tenantId(),
  accountId: text('account_id').notNull(),
  ...logColumns(),
});
export type AccountLogRow = typeof accountLogs.$inferSelect;
