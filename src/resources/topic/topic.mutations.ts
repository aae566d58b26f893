/** `updateTopic` and `createTopicEntry`. */
import { referenceField } from '../../graph/fields/reference-field.ts';
import { writeField } from '../../graph/fields/mutation.ts';
import { inputType } from '../../graph/schema/rest-type.ts';
import { EntryContentBody } from '../../v0/schemas/topic.ts';
import { routes } from '../../v0/routes.ts';
import { cursorOf, markOf } from '../../graph/loading/page-request.ts';
import { entriesOf, TopicEntryConnectionRef } from './topic.edges.ts';
import { topicEntity, topicEntryEntity } from './topic.type.ts';

writeField({
  name: 'updateTopic',
  description: 'Updates a topic.',
  route: routes.updateTopic,
  answers: { field: 'topic', entity: topicEntity },
  input: {
    description: 'Changes to a topic. Omitted fields keep their values.',
  },
  target: { field: 'id', entity: topicEntity },
  readBack: ['title', 'sortOrder', 'updatedAt'],
});

const TopicEntryContentInput = inputType('TopicEntryContentInput', EntryContentBody, {
  description: 'Content of a new topic entry.',
});

writeField({
  name: 'createTopicEntry',
  description: 'Adds an entry to a topic.',
  route: routes.createTopicEntry,
  answers: { field: 'topicEntry', entity: topicEntryEntity },
  input: {
    description: 'A new topic entry.',
    fields: { content: TopicEntryContentInput },
  },
  target: {
    field: 'topicId',
    entity: topicEntity,
    description: 'Raw ID (`topicId`) or global ID (`id`) of the topic to add the entry to.',
  },
  edge: {
    field: 'topicEntryEdge',
    type: TopicEntryConnectionRef,
    description: 'Edge of the entry for `Topic.entries`.',
    // Found by its mark, wherever it is.
    cursor: (entry) =>
      cursorOf(entriesOf(entry.topicId), {
        from: null,
        skip: 0,
        marks: [markOf(entry, topicEntryEntity.key)],
      }),
  },
  beside: (t) => ({
    topic: t.field(
      referenceField(topicEntity, {
        from: 'object',
        key: ({ object }) => object && { topicId: object.topicId },
        description: 'Topic of the entry after the write.',
      }),
    ),
  }),
});
