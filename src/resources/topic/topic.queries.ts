/** `topic` and `topics`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { listField } from '../../graph/connection/list-field.ts';
import { routes } from '../../v0/routes.ts';
import { topicEntity, TopicRef } from './topic.entity.ts';

const TopicConnectionRef = connectionType(TopicRef);

builder.queryFields((t) => ({
  topic: lookupField(t, topicEntity, 'A topic by its REST id; null when there is none.'),
  topics: listField(t, {
    type: TopicConnectionRef,
    description: 'All topics, with their entries.',
    from: 'key',
    route: routes.listTopics,
    items: topicEntity,
    input: () => ({}),
  }),
}));
