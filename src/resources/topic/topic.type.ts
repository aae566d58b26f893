/**
 * The GraphQL types of topics and their entries.
 *
 * Source: interface.md, "Topic", "TopicEntry".
 */
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import type { EntryContent } from '../../v0/topic.ts';
import { topicEntity } from './topic.entity.ts';
import { topicEntryEntity } from './topic-entry.entity.ts';

const TopicEntryContentRef = builder.objectRef<EntryContent>('TopicEntryContent');
builder.objectType(TopicEntryContentRef, {
  description: 'Content of a topic entry.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'Kind of content. The REST API does not document its values.',
    }),
    content: t.exposeString('content', { description: 'Text of the entry.' }),
  }),
});

nodeType(topicEntity, {
  description: 'A topic: an ordered list of entries.',
  fields: (t) => ({
    topicId: t.exposeID('topicId', { description: 'Raw id of this topic in the REST API.' }),
    title: t.exposeString('title', { description: 'Display title.' }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      description: 'Purpose of the topic. Null when none is stated.',
    }),
    sortOrder: t.exposeFloat('sortOrder', {
      description: 'Sort position among the topics, ascending.',
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether this is one of the default topics of the service.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

nodeType(topicEntryEntity, {
  description: 'An entry of a topic.',
  fields: (t) => ({
    topicEntryId: t.exposeID('topicEntryId', {
      description: 'Raw id of this entry in the REST API.',
    }),
    topicId: t.exposeID('topicId', { description: 'Raw id of the topic of this entry.' }),
    sortOrder: t.exposeFloat('sortOrder', {
      description: 'Sort position among the entries of the topic, ascending.',
    }),
    content: t.expose('content', {
      type: TopicEntryContentRef,
      description: 'Content of the entry. No call of its own.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});
