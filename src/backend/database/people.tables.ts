/** The tables of accounts, persons and their logs; see `tables.ts`. */
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { json, moment, tenantId } from './columns.ts';

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
