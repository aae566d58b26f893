/**
 * The activity feed of an account as the graph shows it.
 *
 * Source: interface.md, "ActivityItem". All of an item may be absent or null in practice, and no
 * route reads one alone: it is no node.
 */
import { builder } from '../../graph/types/builder.ts';
import type { ActivityItem } from '../../v0/log.ts';
import { LogEntryRef } from './log-entry.type.ts';

export const ActivityItemRef = builder.objectRef<ActivityItem>('ActivityItem');

builder.objectType(ActivityItemRef, {
  description: 'Something that happened to an account or to one of its persons.',
  interfaces: [LogEntryRef],
  fields: (t) => {
    const id = (
      name: 'activityId' | 'accountId' | 'accountLogId' | 'personId' | 'personLogId',
      description: string,
    ) => t.exposeID(name, { nullable: true, description });
    return {
      activityId: id('activityId', 'The id REST knows this item by.'),
      activityType: t.exposeString('activityType', {
        nullable: true,
        description: 'What kind of item it is; the REST document lists no values.',
      }),
      accountId: id('accountId', 'The account, by its REST id.'),
      accountLogId: id('accountLogId', 'The account’s log, by its REST id; null for a person’s.'),
      personId: id('personId', 'The person, by its REST id; null for the account’s own.'),
      personLogId: id('personLogId', 'The person’s log, by its REST id; null for the account’s.'),
      personName: t.exposeString('personName', {
        nullable: true,
        description: 'The name of the person; null for the account’s own.',
      }),
    };
  },
});
