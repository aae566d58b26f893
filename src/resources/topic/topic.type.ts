/**
 * Topics and their entries as the graph shows them.
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
  description: 'What an entry says.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'What kind of content it is; the REST document lists no values.',
    }),
    content: t.exposeString('content', { description: 'The content itself.' }),
  }),
});

nodeType(topicEntity, {
  description: 'A topic: entries in an order, all of which come with it.',
  fields: (t) => ({
    topicId: t.exposeID('topicId', { description: 'The id REST knows this topic by.' }),
    title: t.exposeString('title', { description: 'Its title.' }),
    purpose: t.exposeString('purpose', { nullable: true, description: 'What it is there for.' }),
    sortOrder: t.exposeFloat('sortOrder', { description: 'Its place among the topics.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether it is there by default.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

nodeType(topicEntryEntity, {
  description: 'One entry of a topic.',
  fields: (t) => ({
    topicEntryId: t.exposeID('topicEntryId', { description: 'The id REST knows this entry by.' }),
    topicId: t.exposeID('topicId', { description: 'Its topic, by its REST id.' }),
    sortOrder: t.exposeFloat('sortOrder', { description: 'Its place among the entries.' }),
    content: t.expose('content', { type: TopicEntryContentRef, description: 'What it says.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
