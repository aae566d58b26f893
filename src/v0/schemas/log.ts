/**
 * Logs of persons and accounts, and the activity feed of an account.
 *
 * Source: interface.md, "PersonLog", "AccountLog", "ActivityItem". Assumed: every field of an
 * activity item may be absent or null; `activityType` is in the public reference.
 */
import { z } from 'zod';
import { keyId, looseString, nullableString, nullableTimestamp, timestamp } from './primitive.ts';

/** Pattern of a log's `source` and `type`; 1 to 100 characters. Source: "Limits". */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const payload = z.record(z.string(), z.unknown());

/** Fields common to activity items and logs. */
export const LogEntry = z.object({
  source: looseString.describe('System that recorded the event, such as `crm`.'),
  type: looseString.describe('Kind of event, such as `note-added`.'),
  payload: payload.nullish().describe('JSON payload of the event.'),
  idempotencyKey: looseString.describe(
    'Idempotency key with which the event was recorded. Null if there was none.',
  ),
  createdAt: looseString.describe('Time at which the event was recorded.'),
  updatedAt: looseString.describe('Time of the last change. Null if never changed.'),
  deletedAt: looseString.describe('Time of deletion. Null if not deleted.'),
});
export type LogEntry = z.infer<typeof LogEntry>;

/** The same fields of a log, some of them required. */
const logFields = {
  source: z.string().describe(described('source')),
  type: z.string().describe(described('type')),
  payload: payload.describe(described('payload')),
  idempotencyKey: nullableString.describe(described('idempotencyKey')),
  createdAt: timestamp.describe(described('createdAt')),
  updatedAt: nullableTimestamp.describe(described('updatedAt')),
  deletedAt: nullableTimestamp.describe(described('deletedAt')),
};

export const PersonLog = z.object({
  personId: keyId.describe('ID of the person.'),
  personLogId: keyId.describe('ID of this log entry.'),
  ...logFields,
});
export type PersonLog = z.infer<typeof PersonLog>;

export const AccountLog = z.object({
  accountId: keyId.describe('ID of the account.'),
  accountLogId: keyId.describe('ID of this log entry.'),
  ...logFields,
});
export type AccountLog = z.infer<typeof AccountLog>;

export const ActivityItem = LogEntry.extend({
  activityId: looseString.describe('ID of this item.'),
  activityType: looseString.describe('Kind of item. The REST API does not document its values.'),
  accountId: looseString.describe('ID of the account.'),
  accountLogId: looseString.describe(
    'ID of the log entry of the account. Null for an event of a person.',
  ),
  personId: looseString.describe('ID of the person. Null for an event of the account itself.'),
  personLogId: looseString.describe(
    'ID of the log entry of the person. Null for an event of the account itself.',
  ),
  personName: looseString.describe('Name of the person. Null for an event of the account itself.'),
});
export type ActivityItem = z.infer<typeof ActivityItem>;

function described(name: keyof LogEntry): string {
  return LogEntry.shape[name].description ?? '';
}
