/**
 * The types of logs of persons and accounts and of activity items, and the interface that they share.
 *
 * Source: interface.md, "PersonLog", "AccountLog", "ActivityItem". All of an activity item may be absent or
 * null in practice, so every field of the interface is nullable; no route reads an item alone: it is no node.
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { AccountLog, ActivityItem, LogEntry, PersonLog } from '../../v0/schemas/log.ts';
import { routes } from '../../v0/routes.ts';

export const PersonLogRef = builder.objectRef<PersonLog>('PersonLog');

export const personLogEntity = new Entity({
  ref: PersonLogRef,
  key: ['personId', 'personLogId'],
  route: routes.getPersonLog,
});

export const AccountLogRef = builder.objectRef<AccountLog>('AccountLog');

export const accountLogEntity = new Entity({
  ref: AccountLogRef,
  key: ['accountId', 'accountLogId'],
  route: routes.getAccountLog,
});

/** What the fields mean, in the interface and in its types. */
const LOG_DESCRIPTIONS = {
  source: 'System that recorded the event, such as `crm`.',
  type: 'Kind of event, such as `note-added`.',
  payload: 'JSON payload of the event.',
  idempotencyKey:
    'Idempotency key under which the event was recorded. Null when it was recorded without one.',
  createdAt: 'Time of recording.',
  updatedAt: 'Time of the last change. Null if never changed.',
  deletedAt: 'Time of deletion. Null if not deleted.',
} as const satisfies Record<keyof LogEntry, string>;

export const LogEntryRef = builder.interfaceRef<LogEntry>('LogEntry');

restType(LogEntryRef, LogEntry, {
  description: 'A recorded event: a log entry of a person or an account, or an activity item.',
  fields: LOG_DESCRIPTIONS,
});

restType(personLogEntity, PersonLog, {
  description: 'A log entry of a person: an event that concerns them.',
  interfaces: [LogEntryRef],
  fields: {
    personId: 'Raw id of the person.',
    personLogId: 'Raw id of this log entry in the REST API.',
    ...LOG_DESCRIPTIONS,
  },
});

restType(accountLogEntity, AccountLog, {
  description: 'A log entry of an account: an event that concerns it.',
  interfaces: [LogEntryRef],
  fields: {
    accountId: 'Raw id of the account.',
    accountLogId: 'Raw id of this log entry in the REST API.',
    ...LOG_DESCRIPTIONS,
  },
});

export const ActivityItemRef = restType('ActivityItem', ActivityItem, {
  description:
    'An item of the activity feed of an account: an event that concerns the account or one of its persons. Any field is null when the backend leaves it out.',
  interfaces: [LogEntryRef],
  fields: {
    activityId: 'Raw id of this item in the REST API.',
    activityType: 'Kind of item. The REST API does not document its values.',
    accountId: 'Raw id of the account.',
    accountLogId: 'Raw id of the log entry of the account. Null for an event of a person.',
    personId: 'Raw id of the person. Null for an event of the account itself.',
    personLogId: 'Raw id of the log entry of the person. Null for an event of the account itself.',
    personName: 'Name of the person. Null for an event of the account itself.',
  },
});
