/** `topic` and `topics`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { listField } from '../../graph/connection/list-field.ts';
import { routes } from '../../v0/routes.ts';
import { topicEntity, TopicRef } from './topic.entity.ts';

const TopicConnectionRef = connectionType(TopicRef);

builder.queryFields((t) => ({
  topic: lookupField(t, topicEntity, 'Fetches a topic by id. Null when there is none.'),
  topics: listField(t, {
    type: TopicConnectionRef,
    description: 'Paginated list of topics. Their entries come with them.',
    from: 'key',
    route: routes.listTopics,
    items: topicEntity,
    input: () => ({}),
  }),
}));
