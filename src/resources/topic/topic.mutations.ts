/** `updateTopic` and `createTopicEntry`. */
import { builder } from '../../graph/types/builder.ts';
import { checkBody, writeField } from '../../graph/mutation/mutation.ts';
import { routes } from '../../v0/routes.ts';
import { CreateTopicEntryBody, UpdateTopicBody } from '../../v0/topic.ts';
import { topicEntity } from './topic.entity.ts';
import { createTopicEntry, updateTopic } from './topic.source.ts';
import { topicEntryEntity } from './topic-entry.entity.ts';

const UpdateTopicInput = builder.inputType('UpdateTopicInput', {
  description: 'What to change about a topic; what is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the topic.' }),
    title: t.string({ description: 'Its new title, not empty.' }),
    sortOrder: t.field({
      type: 'SafeInt',
      description: 'Its new place among the topics: an integer from 0.',
    }),
  }),
});

writeField({
  name: 'updateTopic',
  description: 'Changes a topic.',
  route: routes.updateTopic,
  answers: { field: 'topic', entity: topicEntity },
  input: UpdateTopicInput,
  prepare: ({ id, ...input }) => {
    const { topicId } = topicEntity.parseId(String(id));
    const body = checkBody(UpdateTopicBody, input);
    return ({ rest }, call) => updateTopic(rest, topicId, body, call);
  },
  readBack: {
    key: ({ id }) => topicEntity.parseId(String(id)),
    tells: ['title', 'sortOrder', 'updatedAt'],
  },
});

const TopicEntryContentInput = builder.inputType('TopicEntryContentInput', {
  description: 'What an entry is to say.',
  fields: (t) => ({
    type: t.string({
      required: true,
      description: 'What kind of content it is; the REST document lists no values.',
    }),
    content: t.string({ required: true, description: 'The content itself.' }),
  }),
});

const CreateTopicEntryInput = builder.inputType('CreateTopicEntryInput', {
  description: 'The entry to add.',
  fields: (t) => ({
    topicId: t.id({ required: true, description: 'The topic to add it to, by its REST id.' }),
    content: t.field({
      type: TopicEntryContentInput,
      required: true,
      description: 'What it is to say.',
    }),
    sortOrder: t.field({
      type: 'SafeInt',
      description:
        'Its place among the entries: an integer from 0. The backend chooses when absent.',
    }),
  }),
});

writeField({
  name: 'createTopicEntry',
  description: 'Adds an entry to a topic.',
  route: routes.createTopicEntry,
  answers: { field: 'topicEntry', entity: topicEntryEntity },
  input: CreateTopicEntryInput,
  prepare: ({ topicId, ...input }) => {
    const topic = topicEntity.checkKey({ topicId: String(topicId) });
    const body = checkBody(CreateTopicEntryBody, input);
    return ({ rest }, call) => createTopicEntry(rest, topic.topicId, body, call);
  },
});
