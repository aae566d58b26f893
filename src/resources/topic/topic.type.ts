/**
 * The GraphQL types of topics and their entries.
 *
 * Source: interface.md, "Topic", "TopicEntry".
 */
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { EntryContent, Topic, TopicEntry } from '../../v0/topic.ts';
import { topicEntity } from './topic.entity.ts';
import { topicEntryEntity } from './topic-entry.entity.ts';

const TopicEntryContentRef = builder.objectRef<EntryContent>('TopicEntryContent');
builder.objectType(TopicEntryContentRef, {
  description: 'Content of a topic entry.',
  fields: (t) =>
    restFields(t, EntryContent, {
      type: 'Kind of content. The REST API does not document its values.',
      content: 'Text of the entry.',
    }),
});

nodeType(topicEntity, {
  description: 'A topic: an ordered list of entries.',
  fields: (t) =>
    restFields(t, Topic, {
      topicId: 'Raw id of this topic in the REST API.',
      title: 'Display title.',
      purpose: 'Purpose of the topic. Null when none is stated.',
      sortOrder: 'Sort position among the topics, ascending.',
      isDefault: 'Whether this is one of the default topics of the service.',
      createdAt: 'Time of creation.',
      updatedAt: 'Time of the last change.',
    }),
});

nodeType(topicEntryEntity, {
  description: 'An entry of a topic.',
  fields: (t) =>
    restFields(t, TopicEntry, {
      topicEntryId: 'Raw id of this entry in the REST API.',
      topicId: 'Raw id of the topic of this entry.',
      sortOrder: 'Sort position among the entries of the topic, ascending.',
      content: {
        type: TopicEntryContentRef,
        description: 'Content of the entry. No call of its own.',
      },
      createdAt: 'Time of creation.',
      updatedAt: 'Time of the last change.',
    }),
});
