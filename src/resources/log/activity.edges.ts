/** ActivityItem → Account, Person and the log it shows. Null where the item names none. */
import { builder } from '../../graph/types/builder.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { accountEntity } from '../account/account.entity.ts';
import { personEntity } from '../person/person.entity.ts';
import { ActivityItemRef } from './activity.type.ts';
import { accountLogEntity, personLogEntity } from './log.entity.ts';

builder.objectFields(ActivityItemRef, (t) => ({
  account: referenceField(t, accountEntity, {
    description: 'The account it happened to.',
    from: 'object',
    key: ({ accountId }) => (accountId ? { accountId } : null),
  }),
  accountLog: referenceField(t, accountLogEntity, {
    description: 'The account’s log it shows; null for a person’s.',
    from: 'object',
    key: ({ accountId, accountLogId }) =>
      accountId && accountLogId ? { accountId, accountLogId } : null,
  }),
  person: referenceField(t, personEntity, {
    description: 'The person it happened to; null for the account’s own.',
    from: 'object',
    key: ({ personId }) => (personId ? { personId } : null),
  }),
  personLog: referenceField(t, personLogEntity, {
    description: 'The person’s log it shows; null for the account’s own.',
    from: 'object',
    key: ({ personId, personLogId }) =>
      personId && personLogId ? { personId, personLogId } : null,
  }),
}));
