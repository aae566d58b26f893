/** Topics and their entries. Source: interface.md, "Topic", "TopicEntry". */
import { Entity } from '../graph/entity/entity.ts';
import { arrayConnectionField } from '../graph/fields/array-connection.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { writeField } from '../graph/fields/mutation.ts';
import { lookupField, reference, referenceField } from '../graph/fields/reference-field.ts';
import { findItem, List } from '../graph/loading/list.ts';
import { cursorOf, markOf } from '../graph/loading/cursor.ts';
import { builder } from '../graph/schema/builder.ts';
import { inputType, restType } from '../graph/schema/rest-type.ts';
import { isSameId } from '../lib/same-id.ts';
import { routes } from '../v0/routes.ts';
import { EntryContent, EntryContentBody, Topic, TopicEntry } from '../v0/schemas/topic.ts';

export const topicEntity = new Entity({
  ref: builder.objectRef<Topic>('Topic'),
  key: ['topicId'],
  route: routes.getTopic,
});

const topicEntryEntity = new Entity({
  ref: builder.objectRef<TopicEntry>('TopicEntry'),
  key: ['topicId', 'topicEntryId'],
  route: routes.getTopic,
  find: async (context, { topicId, topicEntryId }, { origin }) => {
    const topic = await topicEntity.loader(context).load({ topicId }, origin);
    const entries = topic?.entries ?? [];
    // An error replaces invalid entries.
    if (entries instanceof Error) throw entries;
    const found = findItem(entries, 'topicEntryId', (id) => isSameId(id, topicEntryId));
    if (found instanceof Error) throw found;
    return found ?? null;
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

lookupField(topicEntity);

listField('Query', 'topics', {
  type: connectionType(topicEntity.ref),
  description: 'Paginated list of topics, including their entries.',
  route: routes.listTopics,
  items: topicEntity,
  list: (_query, _args, context) => List.of(context, routes.listTopics, {}),
});

const TopicEntryConnectionRef = connectionType(topicEntryEntity.ref);

/** List id of a topic's entries, for cursors. */
const entriesOf = (topicId: string): string => JSON.stringify(['entries of', topicId]);

arrayConnectionField(topicEntity.ref, 'entries', {
  type: TopicEntryConnectionRef,
  description:
    'Entries in sort order, paginated in both directions. No REST call: the topic includes its entries.',
  entity: topicEntryEntity,
  listId: ({ topicId }) => entriesOf(topicId),
  items: ({ entries }) => entries,
});

referenceField(topicEntryEntity.ref, 'topic', topicEntity, {
  from: 'key',
  description: 'Topic that the entry belongs to.',
});

writeField({
  name: 'updateTopic',
  description: 'Updates a topic.',
  route: routes.updateTopic,
  returns: topicEntity,
  input: { description: 'Changes to a topic. Omitted fields keep their values.' },
  target: { field: 'id', entity: topicEntity },
  readBack: ['title', 'sortOrder', 'updatedAt'],
});

const TopicEntryContentInput = inputType('TopicEntryContentInput', EntryContentBody, {
  description: 'Content of a new topic entry.',
});

writeField({
  name: 'createTopicEntry',
  description: 'Adds an entry to a topic.',
  route: routes.createTopicEntry,
  returns: topicEntryEntity,
  input: { description: 'A new topic entry.', fields: { content: TopicEntryContentInput } },
  target: {
    field: 'topicId',
    entity: topicEntity,
    description: 'Raw ID (`topicId`) or global ID (`id`) of the topic to add the entry to.',
  },
  edge: {
    type: TopicEntryConnectionRef,
    description: 'Edge of the entry for `Topic.entries`.',
    // Found by its mark, wherever it is.
    cursor: (entry) =>
      cursorOf(entriesOf(entry.topicId), {
        from: null,
        skip: 0,
        marks: [markOf(entry, topicEntryEntity.key)],
      }),
  },
  added: (t) => ({
    topic: t.field(
      reference(topicEntity, {
        from: 'object',
        key: ({ object }) => object && { topicId: object.topicId },
        description: 'Topic of the entry after the write.',
      }),
    ),
  }),
});
