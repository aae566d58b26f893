/**
 * Fields that lead to topics and their entries.
 */
import { arrayConnectionField } from '../../graph/fields/array-connection.ts';
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { routes } from '../../v0/routes.ts';
import { topicEntity, topicEntryEntity } from './topic.type.ts';

builder.queryFields((t) => ({
  topic: t.field(lookupField(topicEntity, 'Fetches a topic by ID. Null if it does not exist.')),
  topics: t.field(
    listField({
      type: connectionType(topicEntity.ref),
      description: 'Paginated list of topics, including their entries.',
      isRoot: true,
      from: 'key',
      route: routes.listTopics,
      items: topicEntity,
      list: (_query, _args, context) => List.of(context, routes.listTopics, {}),
    }),
  ),
}));

export const TopicEntryConnectionRef = connectionType(topicEntryEntity.ref);

/** List id of a topic's entries, for cursors. */
export const entriesOf = (topicId: string): string => JSON.stringify(['entries of', topicId]);

builder.objectField(topicEntity.ref, 'entries', (t) =>
  t.field(
    arrayConnectionField({
      type: TopicEntryConnectionRef,
      description:
        'Entries in sort order, paginated in both directions. No REST call: the topic includes its entries.',
      entity: topicEntryEntity,
      listId: ({ topicId }) => entriesOf(topicId),
      items: ({ entries }) => entries,
    }),
  ),
);

builder.objectField(topicEntryEntity.ref, 'topic', (t) =>
  t.field(
    referenceField(topicEntity, { from: 'key', description: 'Topic that the entry belongs to.' }),
  ),
);
