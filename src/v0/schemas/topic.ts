/**
 * Topics and their ordered entries.
 *
 * Source: interface.md, "Topic", "TopicEntry", "Topics".
 */
import { z } from 'zod';
import { bodyOf } from './body.ts';
import { counter, keyId, nullableString, timestamp } from './primitive.ts';

/** Content of an entry. The document shows no values of `type`. */
export const EntryContent = z.object({
  type: z.string().describe('Kind of content. The REST API does not document its values.'),
  content: z.string().describe('Text of the entry.'),
});
export type EntryContent = z.infer<typeof EntryContent>;

export const TopicEntry = z.object({
  topicEntryId: keyId.describe('ID of this entry.'),
  topicId: keyId.describe('ID of the topic of this entry.'),
  sortOrder: z.number().describe('Sort position among the entries of the topic, ascending.'),
  content: EntryContent.describe('Content of the entry.'),
  createdAt: timestamp.describe('Time of creation.'),
  updatedAt: timestamp.describe('Time of the last change.'),
});
export type TopicEntry = z.infer<typeof TopicEntry>;

export const Topic = z.object({
  topicId: keyId.describe('ID of this topic.'),
  title: z.string().describe('Display title.'),
  purpose: nullableString.describe('Purpose of the topic. Null if there is none.'),
  sortOrder: z.number().describe('Sort position among the topics, ascending.'),
  isDefault: z.boolean().describe('Whether this is one of the default topics of the service.'),
  createdAt: timestamp.describe('Time of creation.'),
  updatedAt: timestamp.describe('Time of the last change.'),
  entries: z.array(TopicEntry).describe('Entries of the topic, in sort order.'),
});
export type Topic = z.infer<typeof Topic>;

/** Body of PATCH /v0/topics/{topic_id}. */
export const UpdateTopicBody = z.strictObject({
  title: z.string().min(1).optional().describe('New title. Must not be empty.'),
  sortOrder: counter
    .optional()
    .describe('New sort position among the topics, ascending. An integer of at least 0.'),
});

export const EntryContentBody = bodyOf(EntryContent);

/** Body of POST /v0/topics/{topic_id}/entries. */
export const CreateTopicEntryBody = z.strictObject({
  content: EntryContentBody.describe('Content of the entry.'),
  sortOrder: counter
    .optional()
    .describe(
      'Sort position among the entries, ascending. An integer of at least 0. Defaults to a position chosen by the backend.',
    ),
});
