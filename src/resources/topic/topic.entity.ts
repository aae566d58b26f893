/** The topic, and the route that reads one by its key. */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import { routes } from '../../v0/routes.ts';
import type { Topic } from '../../v0/topic.ts';

export const TopicRef = builder.objectRef<Topic>('Topic');

export const topicEntity = new Entity({
  ref: TopicRef,
  key: ['topicId'],
  route: routes.getTopic,
});
