/** `updateTopic` and `createTopicEntry`. */
import { writeField } from '../../graph/mutation/mutation.ts';
import { builder } from '../../graph/types/builder.ts';
import { routes } from '../../v0/routes.ts';
import { topicEntity, topicEntryEntity } from './topic.type.ts';

const UpdateTopicInput = builder.inputType('UpdateTopicInput', {
  description: 'Changes to a topic. Fields that are absent keep their value.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the topic.' }),
    title: t.string({ description: 'New title. Must not be empty.' }),
    sortOrder: t.field({
      type: 'SafeInt',
      description: 'New sort position among the topics, ascending. An integer of at least 0.',
    }),
  }),
});

writeField({
  name: 'updateTopic',
  description: 'Updates a topic.',
  route: routes.updateTopic,
  answers: { field: 'topic', entity: topicEntity },
  input: UpdateTopicInput,
  target: { field: 'id', entity: topicEntity },
  readBack: ['title', 'sortOrder', 'updatedAt'],
});

const TopicEntryContentInput = builder.inputType('TopicEntryContentInput', {
  description: 'Content of a new topic entry.',
  fields: (t) => ({
    type: t.string({
      required: true,
      description: 'Kind of content. The REST API does not document its values.',
    }),
    content: t.string({ required: true, description: 'Text of the entry.' }),
  }),
});

const CreateTopicEntryInput = builder.inputType('CreateTopicEntryInput', {
  description: 'A new topic entry.',
  fields: (t) => ({
    topicId: t.id({
      required: true,
      description: 'Raw id (`topicId`) or global id (`id`) of the topic that gets the entry.',
    }),
    content: t.field({
      type: TopicEntryContentInput,
      required: true,
      description: 'Content of the entry.',
    }),
    sortOrder: t.field({
      type: 'SafeInt',
      description:
        'Sort position among the entries, ascending. An integer of at least 0. Defaults to a position that the backend chooses.',
    }),
  }),
});

writeField({
  name: 'createTopicEntry',
  description: 'Adds an entry to a topic.',
  route: routes.createTopicEntry,
  answers: { field: 'topicEntry', entity: topicEntryEntity },
  input: CreateTopicEntryInput,
  target: { field: 'topicId', entity: topicEntity },
});
