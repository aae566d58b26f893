/**
 * Logs of persons and accounts, and the activity feed of an account.
 *
 * Source: interface.md, "PersonLog", "AccountLog", "ActivityItem". Assumed: every field of an
 * activity item may be absent or null; `activityType` is in the public reference.
 */
import { z } from 'zod';
import { looseString, nullableString, nullableTimestamp, timestamp } from '../primitive.ts';

/** What a log's `source` and `type` look like, 1 to 100 characters. Source: "Limits". */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const payload = z.record(z.string(), z.unknown());

const logFields = {
  source: z.string(),
  type: z.string(),
  payload,
  idempotencyKey: nullableString,
  createdAt: timestamp,
  updatedAt: nullableTimestamp,
  deletedAt: nullableTimestamp,
};

export const PersonLog = z.object({
  personId: z.string(),
  personLogId: z.string(),
  ...logFields,
});
export type PersonLog = z.infer<typeof PersonLog>;

export const AccountLog = z.object({
  accountId: z.string(),
  accountLogId: z.string(),
  ...logFields,
});
export type AccountLog = z.infer<typeof AccountLog>;

/** What activity items have in common with logs. */
export const LogEntry = z.object({
  source: looseString,
  type: looseString,
  payload: payload.nullish(),
  idempotencyKey: looseString,
  createdAt: looseString,
  updatedAt: looseString,
  deletedAt: looseString,
});
export type LogEntry = z.infer<typeof LogEntry>;

export const ActivityItem = LogEntry.extend({
  activityId: looseString,
  activityType: looseString,
  accountId: looseString,
  accountLogId: looseString,
  personId: looseString,
  personLogId: looseString,
  personName: looseString,
});
export type ActivityItem = z.infer<typeof ActivityItem>;
