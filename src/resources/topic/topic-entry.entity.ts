/**
 * The entry of a topic, and how one is read by its key.
 *
 * No route reads an entry alone: it is picked out of its topic, which is read once for both.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import { routes } from '../../v0/routes.ts';
import type { TopicEntry } from '../../v0/topic.ts';
import { topicEntity } from './topic.entity.ts';

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
