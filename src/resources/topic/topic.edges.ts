/**
 * Topic → Entries, TopicEntry → Topic.
 *
 * Entries are an array in REST and come with their topic: they page both ways and cost nothing.
 */
import { arrayConnectionField } from '../../graph/connection/array-connection.ts';
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { topicEntity, TopicRef } from './topic.entity.ts';
import { topicEntryEntity, TopicEntryRef } from './topic-entry.entity.ts';

const TopicEntryConnectionRef = connectionType(TopicEntryRef);

builder.objectField(TopicRef, 'entries', (t) =>
  arrayConnectionField(t, {
    type: TopicEntryConnectionRef,
    description:
      'Entries in sort order, paginated in both directions. No call of its own: they come with the topic.',
    entity: topicEntryEntity,
    listId: ({ topicId }) => JSON.stringify(['entries of', topicId]),
    items: ({ entries }) => entries,
  }),
);

builder.objectField(TopicEntryRef, 'topic', (t) =>
  referenceField(t, topicEntity, {
    description: 'Topic that the entry belongs to.',
    from: 'key',
    key: ({ topicId }) => ({ topicId }),
  }),
);
