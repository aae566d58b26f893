/**
 * The types of topics and their entries. Source: interface.md, "Topic", "TopicEntry".
 */
import { isSameId } from '../../lib/same-id.ts';
import { Entity } from '../../graph/entity/entity.ts';
import { Search } from '../../graph/loading/search.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { routes } from '../../v0/routes.ts';
import { EntryContent, Topic, TopicEntry } from '../../v0/schemas/topic.ts';

export const topicEntity = new Entity({
  ref: builder.objectRef<Topic>('Topic'),
  key: ['topicId'],
  route: routes.getTopic,
});

export const topicEntryEntity = new Entity({
  ref: builder.objectRef<TopicEntry>('TopicEntry'),
  key: ['topicId', 'topicEntryId'],
  route: routes.getTopic,
  find: async (context, { topicId, topicEntryId }, { origin }) => {
    const topic = await topicEntity.loader(context).load({ topicId }, origin);
    const entries = topic?.entries ?? [];
    // An error replaces invalid entries.
    if (entries instanceof Error) throw entries;
    const search = new Search<TopicEntry>('topicEntryId', (id) => isSameId(id, topicEntryId));
    return search.find(entries) ?? search.end();
  },
});

const TopicEntryContentRef = restType('TopicEntryContent', EntryContent, {
  description: 'Content of a topic entry.',
});

restType(topicEntity, Topic, {
  description: 'A topic: an ordered list of entries.',
});

restType(topicEntryEntity, TopicEntry, {
  description: 'An entry of a topic.',
  fields: { content: TopicEntryContentRef },
});
