/**
 * The types of topics and their entries. Source: interface.md, "Topic", "TopicEntry".
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { routes } from '../../v0/routes.ts';
import { EntryContent, Topic, TopicEntry } from '../../v0/schemas/topic.ts';

export const TopicRef = builder.objectRef<Topic>('Topic');

export const topicEntity = new Entity({
  ref: TopicRef,
  key: ['topicId'],
  route: routes.getTopic,
});

export const TopicEntryRef = builder.objectRef<TopicEntry>('TopicEntry');

export const topicEntryEntity = new Entity({
  ref: TopicEntryRef,
  key: ['topicId', 'topicEntryId'],
  route: routes.getTopic,
  find: async (context, { topicId, topicEntryId }, { origin }) => {
    const topic = await topicEntity.loader(context).load({ topicId }, origin);
    const entries = topic?.entries ?? [];
    // An error stands for entries that the backend broke.
    if (entries instanceof Error) throw entries;
    return entries.find((entry) => entry.topicEntryId === topicEntryId) ?? null;
  },
});

const TopicEntryContentRef = restType('TopicEntryContent', EntryContent, {
  description: 'Content of a topic entry.',
  fields: {
    type: 'Kind of content. The REST API does not document its values.',
    content: 'Text of the entry.',
  },
});

restType(topicEntity, Topic, {
  description: 'A topic: an ordered list of entries.',
  fields: {
    topicId: 'Raw id of this topic in the REST API.',
    title: 'Display title.',
    purpose: 'Purpose of the topic. Null when none is stated.',
    sortOrder: 'Sort position among the topics, ascending.',
    isDefault: 'Whether this is one of the default topics of the service.',
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
  },
});

restType(topicEntryEntity, TopicEntry, {
  description: 'An entry of a topic.',
  fields: {
    topicEntryId: 'Raw id of this entry in the REST API.',
    topicId: 'Raw id of the topic of this entry.',
    sortOrder: 'Sort position among the entries of the topic, ascending.',
    content: {
      type: TopicEntryContentRef,
      description: 'Content of the entry. No call of its own.',
    },
    createdAt: 'Time of creation.',
    updatedAt: 'Time of the last change.',
  },
});
