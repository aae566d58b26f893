/**
 * The types of logs of persons and accounts and of activity items, and the interface that they share.
 *
 * Source: interface.md, "PersonLog", "AccountLog", "ActivityItem". All fields of an activity item may be absent or null
 * in practice, so every field of the interface is nullable. No route reads a single item, so it is not a node.
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { AccountLog, ActivityItem, LogEntry, PersonLog } from '../../v0/schemas/log.ts';
import { routes } from '../../v0/routes.ts';

export const personLogEntity = new Entity({
  ref: builder.objectRef<PersonLog>('PersonLog'),
  key: ['personId', 'personLogId'],
  route: routes.getPersonLog,
});

export const accountLogEntity = new Entity({
  ref: builder.objectRef<AccountLog>('AccountLog'),
  key: ['accountId', 'accountLogId'],
  route: routes.getAccountLog,
});

const LogEntryRef = builder.interfaceRef<LogEntry>('LogEntry');

restType(LogEntryRef, LogEntry, {
  description: 'A recorded event: a log entry of a person or an account, or an activity item.',
});

restType(personLogEntity, PersonLog, {
  description: 'A log entry of a person: an event that concerns them.',
  interfaces: [LogEntryRef],
});

restType(accountLogEntity, AccountLog, {
  description: 'A log entry of an account: an event that concerns it.',
  interfaces: [LogEntryRef],
});

export const ActivityItemRef = restType('ActivityItem', ActivityItem, {
  description:
    'An item of the activity feed of an account: an event that concerns the account or one of its persons. Fields that the backend omits are null.',
  interfaces: [LogEntryRef],
});
