/** ActivityItem → Account, Person and the log it shows. Null where the item names none. */
import { builder } from '../../graph/types/builder.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { accountEntity } from '../account/account.entity.ts';
import { personEntity } from '../person/person.entity.ts';
import { ActivityItemRef } from './activity.type.ts';
import { accountLogEntity, personLogEntity } from './log.entity.ts';

builder.objectFields(ActivityItemRef, (t) => ({
  account: referenceField(t, accountEntity, {
    description: 'Account that the event concerns.',
    from: 'object',
    key: ({ accountId }) => (accountId ? { accountId } : null),
  }),
  accountLog: referenceField(t, accountLogEntity, {
    description: 'Log entry of the account behind this item. Null for an event of a person.',
    from: 'object',
    key: ({ accountId, accountLogId }) =>
      accountId && accountLogId ? { accountId, accountLogId } : null,
  }),
  person: referenceField(t, personEntity, {
    description: 'Person that the event concerns. Null for an event of the account itself.',
    from: 'object',
    key: ({ personId }) => (personId ? { personId } : null),
  }),
  personLog: referenceField(t, personLogEntity, {
    description:
      'Log entry of the person behind this item. Null for an event of the account itself.',
    from: 'object',
    key: ({ personId, personLogId }) =>
      personId && personLogId ? { personId, personLogId } : null,
  }),
}));
