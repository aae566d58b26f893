/**
 * Fields that lead to logs and activity items, and from them to their account and person.
 */
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { routes } from '../../v0/routes.ts';
import { accountEntity } from '../account/account.type.ts';
import { personEntity } from '../person/person.type.ts';
import { accountLogEntity, ActivityItemRef, personLogEntity } from './log.type.ts';

const INCLUDE_DELETED = 'Whether to include deleted entries. If omitted, the backend decides.';

builder.queryFields((t) => ({
  accountLog: t.field(
    lookupField(
      accountLogEntity,
      'Fetches a log entry of an account by its global ID, or by its raw ID and that of the account. Null if it does not exist.',
    ),
  ),
  personLog: t.field(
    lookupField(
      personLogEntity,
      'Fetches a log entry of a person by its global ID, or by its raw ID and that of the person. Null if it does not exist.',
    ),
  ),
}));

builder.objectFields(accountEntity.ref, (t) => ({
  logs: t.field(
    listField({
      type: connectionType(accountLogEntity.ref),
      description: 'Paginated list of the log entries of the account itself.',
      from: 'key',
      route: routes.listAccountLogs,
      items: accountLogEntity,
      args: { includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }) },
      list: ({ accountId }, { includeDeleted }, context) =>
        List.of(context, routes.listAccountLogs, {
          path: { account_id: accountId },
          query: { includeDeleted },
        }),
    }),
  ),
  activity: t.field(
    listField({
      type: connectionType(ActivityItemRef),
      description:
        'Paginated activity feed of the account, with the events of its persons if `includePersonActivity` is true.',
      from: 'key',
      route: routes.listActivity,
      identifiedBy: ['activityId'],
      args: {
        includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }),
        includePersonActivity: t.arg.boolean({
          description:
            'Whether to include events of the persons of the account. If omitted, the backend decides.',
        }),
      },
      list: ({ accountId }, { includeDeleted, includePersonActivity }, context) =>
        List.of(context, routes.listActivity, {
          path: { account_id: accountId },
          query: { includeDeleted, includePersonActivity },
        }),
    }),
  ),
}));

builder.objectField(personEntity.ref, 'logs', (t) =>
  t.field(
    listField({
      type: connectionType(personLogEntity.ref),
      description: 'Paginated list of the log entries of the person.',
      from: 'key',
      route: routes.listPersonLogs,
      items: personLogEntity,
      args: { includeDeleted: t.arg.boolean({ description: INCLUDE_DELETED }) },
      list: ({ personId }, { includeDeleted }, context) =>
        List.of(context, routes.listPersonLogs, {
          path: { person_id: personId },
          query: { includeDeleted },
        }),
    }),
  ),
);

builder.objectField(personLogEntity.ref, 'person', (t) =>
  t.field(
    referenceField(personEntity, { from: 'key', description: 'Person that the event concerns.' }),
  ),
);

builder.objectField(accountLogEntity.ref, 'account', (t) =>
  t.field(
    referenceField(accountEntity, {
      from: 'key',
      description: 'Account that the event concerns.',
    }),
  ),
);

builder.objectFields(ActivityItemRef, (t) => ({
  account: t.field(
    referenceField(accountEntity, {
      from: 'object',
      description: 'Account that the event concerns.',
    }),
  ),
  accountLog: t.field(
    referenceField(accountLogEntity, {
      from: 'object',
      description: 'Account log entry behind this item. Null for an event of a person.',
    }),
  ),
  person: t.field(
    referenceField(personEntity, {
      from: 'object',
      description: 'Person that the event concerns. Null for an event of the account itself.',
    }),
  ),
  personLog: t.field(
    referenceField(personLogEntity, {
      from: 'object',
      description: 'Person log entry behind this item. Null for an event of the account itself.',
    }),
  ),
}));
