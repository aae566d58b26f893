/**
 * The GraphQL type of the items of an account's activity feed.
 *
 * Source: interface.md, "ActivityItem". All of an item may be absent or null in practice, and no
 * route reads one alone: it is no node.
 */
import { builder } from '../../graph/types/builder.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { ActivityItem } from '../../v0/log.ts';
import { LogEntryRef } from './log.type.ts';

export const ActivityItemRef = builder.objectRef<ActivityItem>('ActivityItem');

builder.objectType(ActivityItemRef, {
  description:
    'An item of the activity feed of an account: an event that concerns the account or one of its persons. Any field is null when the backend leaves it out.',
  interfaces: [LogEntryRef],
  fields: (t) =>
    restFields(t, ActivityItem, {
      activityId: 'Raw id of this item in the REST API.',
      activityType: 'Kind of item. The REST API does not document its values.',
      accountId: 'Raw id of the account.',
      accountLogId: 'Raw id of the log entry of the account. Null for an event of a person.',
      personId: 'Raw id of the person. Null for an event of the account itself.',
      personLogId:
        'Raw id of the log entry of the person. Null for an event of the account itself.',
      personName: 'Name of the person. Null for an event of the account itself.',
    }),
});
