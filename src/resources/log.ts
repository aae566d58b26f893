/**
 * Logs of persons and accounts, activity items, and the interface that they share. Source: interface.md, "PersonLog",
 * "AccountLog", "ActivityItem". Fields of an activity item may be absent or null in practice, so all fields of the
 * interface are nullable. No route reads a single item, so it is not a node.
 */
import { Entity } from '../graph/entity/entity.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { lookupField, referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { routes } from '../v0/routes.ts';
import { AccountLog, ActivityItem, LogEntry, PersonLog } from '../v0/schemas/log.ts';
import { accountEntity } from './account.ts';
import { personEntity } from './person.ts';

const personLogEntity = new Entity({
  ref: builder.objectRef<PersonLog>('PersonLog'),
  key: ['personId', 'personLogId'],
  route: routes.getPersonLog,
});

const accountLogEntity = new Entity({
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

const ActivityItemRef = restType('ActivityItem', ActivityItem, {
  description:
    'An item of the activity feed of an account: an event that concerns the account or one of its persons. Fields that the backend omits are null.',
  interfaces: [LogEntryRef],
});

const INCLUDE_DELETED = 'Whether to include deleted entries. If omitted, the backend decides.';

lookupField(accountLogEntity);
lookupField(personLogEntity);

listField(accountEntity.ref, 'logs', {
  type: connectionType(accountLogEntity.ref),
  description: 'Paginated list of the log entries of the account itself.',
  route: routes.listAccountLogs,
  items: accountLogEntity,
  args: (t) => ({ includeDeleted: t.boolean({ description: INCLUDE_DELETED }) }),
  list: ({ accountId }, { includeDeleted }, context) =>
    List.of(context, routes.listAccountLogs, {
      path: { account_id: accountId },
      query: { includeDeleted },
    }),
});

listField(accountEntity.ref, 'activity', {
  type: connectionType(ActivityItemRef),
  description:
    'Paginated activity feed of the account, with the events of its persons if `includePersonActivity` is true.',
  route: routes.listActivity,
  identifiedBy: ['activityId'],
  args: (t) => ({
    includeDeleted: t.boolean({ description: INCLUDE_DELETED }),
    includePersonActivity: t.boolean({
      description:
        'Whether to include events of the persons of the account. If omitted, the backend decides.',
    }),
  }),
  list: ({ accountId }, { includeDeleted, includePersonActivity }, context) =>
    List.of(context, routes.listActivity, {
      path: { account_id: accountId },
      query: { includeDeleted, includePersonActivity },
    }),
});

listField(personEntity.ref, 'logs', {
  type: connectionType(personLogEntity.ref),
  description: 'Paginated list of the log entries of the person.',
  route: routes.listPersonLogs,
  items: personLogEntity,
  args: (t) => ({ includeDeleted: t.boolean({ description: INCLUDE_DELETED }) }),
  list: ({ personId }, { includeDeleted }, context) =>
    List.of(context, routes.listPersonLogs, {
      path: { person_id: personId },
      query: { includeDeleted },
    }),
});

referenceField(personLogEntity.ref, 'person', personEntity, {
  from: 'key',
  description: 'Person that the event concerns.',
});

referenceField(accountLogEntity.ref, 'account', accountEntity, {
  from: 'key',
  description: 'Account that the event concerns.',
});

referenceField(ActivityItemRef, 'account', accountEntity, {
  from: 'object',
  description: 'Account that the event concerns.',
});
referenceField(ActivityItemRef, 'accountLog', accountLogEntity, {
  from: 'object',
  description: 'Account log entry behind this item. Null for an event of a person.',
});
referenceField(ActivityItemRef, 'person', personEntity, {
  from: 'object',
  description: 'Person that the event concerns. Null for an event of the account itself.',
});
referenceField(ActivityItemRef, 'personLog', personLogEntity, {
  from: 'object',
  description: 'Person log entry behind this item. Null for an event of the account itself.',
});
