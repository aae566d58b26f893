/**
 * The tables of the embedded backend, as Drizzle reads them.
 *
 * Every table carries `tenantId`, and every index begins with it or with a parent that has it.
 * Moments are epoch milliseconds, in columns whose names end in `At`; `present.ts` decides how callers
 * see them. After a change here, `npm run migration` writes the SQL that brings databases along.
 */
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { AUDIENCE_STATUSES } from '../../v0/schemas/audience.ts';
import { PAGE_STATUSES, PAGE_TYPES } from '../../v0/schemas/page.ts';
import type { Action, ActionCardWidget, FooterLinkGroup, Script } from '../../v0/schemas/page.ts';
import type { PageMetadata } from '../../v0/schemas/page-metadata.ts';
import type { EntryContent } from '../../v0/schemas/topic.ts';

const tenantId = () => text('tenant_id').notNull();
const moment = (name: string) => integer(name);
const json = (name: string) => text(name, { mode: 'json' });

export const apiKeys = sqliteTable('api_keys', {
  /** SHA-256 of the key in hex; the key itself is stored nowhere. */
  keyHash: text('key_hash').primaryKey(),
  tenantId: tenantId(),
});

export const tenantDomains = sqliteTable(
  'tenant_domains',
  {
    tenantDomainId: text('tenant_domain_id').primaryKey(),
    tenantId: tenantId(),
    host: text('host').notNull(),
    isFallback: integer('is_fallback', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('tenant_domains_by_tenant').on(table.tenantId, table.isFallback)],
);

export const pages = sqliteTable(
  'pages',
  {
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
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('pages_by_tenant').on(table.tenantId, table.name, table.pageId)],
);
export type PageRow = typeof pages.$inferSelect;

export const audiences = sqliteTable(
  'audiences',
  {
    audienceId: text('audience_id').primaryKey(),
    tenantId: tenantId(),
    pageId: text('page_id').notNull(),
    computedName: text('computed_name').notNull(),
    customName: text('custom_name'),
    isNewPageAgent: integer('is_new_page_agent', { mode: 'boolean' }).notNull(),
    personId: text('person_id'),
    personRouteKey: text('person_route_key'),
    status: text('status', { enum: AUDIENCE_STATUSES }).notNull(),
    supplementaryContext: text('supplementary_context'),
    actionFormIdOverride: text('action_form_id_override'),
    actionFormInstructionsOverride: text('action_form_instructions_override'),
    actionUrlOverride: text('action_url_override'),
    metadataOverride: json('metadata_override').$type<PageMetadata>(),
    latestVersionId: text('latest_version_id').notNull(),
    publishedVersionId: text('published_version_id'),
    archivedAt: moment('archived_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('audiences_by_page').on(table.tenantId, table.pageId, table.createdAt, table.audienceId),
  ],
);
export type AudienceRow = typeof audiences.$inferSelect;

export const versions = sqliteTable(
  'audience_versions',
  {
    versionId: text('version_id').primaryKey(),
    tenantId: tenantId(),
    audienceId: text('audience_id').notNull(),
    versionNumber: integer('version_number').notNull(),
    status: text('status', { enum: AUDIENCE_STATUSES }).notNull(),
    isNewPageAgent: integer('is_new_page_agent', { mode: 'boolean' }).notNull(),
    supplementaryContext: text('supplementary_context'),
    queueDurationMs: integer('queue_duration_ms'),
    createdAt: moment('created_at').notNull(),
    becameDraftAt: moment('became_draft_at'),
    queuedAt: moment('queued_at'),
    publishedAt: moment('published_at'),
    cancelledAt: moment('cancelled_at'),
    obsoleteAt: moment('obsolete_at'),
    archivedAt: moment('archived_at'),
  },
  (table) => [
    uniqueIndex('versions_by_audience').on(table.tenantId, table.audienceId, table.versionNumber),
    index('versions_by_status').on(table.status),
  ],
);
export type VersionRow = typeof versions.$inferSelect;

/** Which version an operation key has published: what makes publishing idempotent. */
export const publishOperations = sqliteTable(
  'publish_operations',
  {
    tenantId: tenantId(),
    operationKey: text('operation_key').notNull(),
    versionId: text('version_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.operationKey] })],
);

export const topics = sqliteTable(
  'topics',
  {
    topicId: text('topic_id').primaryKey(),
    tenantId: tenantId(),
    title: text('title').notNull(),
    purpose: text('purpose'),
    sortOrder: real('sort_order').notNull(),
    isDefault: integer('is_default', { mode: 'boolean' }).notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('topics_by_order').on(table.tenantId, table.sortOrder, table.topicId)],
);
export type TopicRow = typeof topics.$inferSelect;

export const topicEntries = sqliteTable(
  'topic_entries',
  {
    topicEntryId: text('topic_entry_id').primaryKey(),
    tenantId: tenantId(),
    topicId: text('topic_id').notNull(),
    sortOrder: real('sort_order').notNull(),
    content: json('content').$type<EntryContent>().notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('entries_by_topic').on(
      table.tenantId,
      table.topicId,
      table.sortOrder,
      table.topicEntryId,
    ),
  ],
);
export type TopicEntryRow = typeof topicEntries.$inferSelect;

export const pageLinks = sqliteTable(
  'page_links',
  {
    pageLinkId: text('page_link_id').primaryKey(),
    tenantId: tenantId(),
    tenantDomainId: text('tenant_domain_id').notNull(),
    path: text('path').notNull(),
    targetType: text('target_type').notNull(),
    audienceId: text('audience_id').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    index('links_by_path').on(table.tenantId, table.tenantDomainId, table.path, table.pageLinkId),
  ],
);
export type PageLinkRow = typeof pageLinks.$inferSelect;

export const accounts = sqliteTable(
  'accounts',
  {
    accountId: text('account_id').primaryKey(),
    tenantId: tenantId(),
    domain: text('domain').notNull(),
    name: text('name'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('accounts_by_age').on(table.tenantId, table.createdAt, table.accountId),
    uniqueIndex('accounts_by_domain').on(table.tenantId, table.domain),
  ],
);
export type AccountRow = typeof accounts.$inferSelect;

export const persons = sqliteTable(
  'persons',
  {
    personId: text('person_id').primaryKey(),
    tenantId: tenantId(),
    name: text('name').notNull(),
    email: text('email'),
    domain: text('domain'),
    slug: text('slug').notNull(),
    phoneNumber: text('phone_number'),
    linkedinProfileUrl: text('linkedin_profile_url'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    index('persons_by_age').on(table.tenantId, table.createdAt, table.personId),
    index('persons_by_domain').on(table.tenantId, table.domain, table.createdAt, table.personId),
  ],
);
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

export const personLogs = sqliteTable(
  'person_logs',
  {
    personLogId: text('person_log_id').primaryKey(),
    tenantId: tenantId(),
    personId: text('person_id').notNull(),
    ...logColumns(),
  },
  (table) => [
    index('person_logs_by_age').on(
      table.tenantId,
      table.personId,
      table.createdAt,
      table.personLogId,
    ),
  ],
);
export type PersonLogRow = typeof personLogs.$inferSelect;

export const accountLogs = sqliteTable(
  'account_logs',
  {
    accountLogId: text('account_log_id').primaryKey(),
    tenantId: tenantId(),
    accountId: text('account_id').notNull(),
    ...logColumns(),
  },
  (table) => [
    index('account_logs_by_age').on(
      table.tenantId,
      table.accountId,
      table.createdAt,
      table.accountLogId,
    ),
  ],
);
export type AccountLogRow = typeof accountLogs.$inferSelect;
