/**
 * Topics and the entries they order.
 *
 * Source: interface.md, "Topic", "TopicEntry", "Topics".
 */
import { z } from 'zod';
import { counter, nullableString, timestamp } from '../primitive.ts';

/** What an entry says. The document shows no values for `type`. */
export const EntryContent = z.object({ type: z.string(), content: z.string() });
export type EntryContent = z.infer<typeof EntryContent>;

export const TopicEntry = z.object({
  topicEntryId: z.string(),
  topicId: z.string(),
  sortOrder: z.number(),
  content: EntryContent,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type TopicEntry = z.infer<typeof TopicEntry>;

export const Topic = z.object({
  topicId: z.string(),
  title: z.string(),
  purpose: nullableString,
  sortOrder: z.number(),
  isDefault: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  entries: z.array(TopicEntry),
});
export type Topic = z.infer<typeof Topic>;

/** Body of PATCH /v0/topics/{topic_id}. */
export const UpdateTopicBody = z.strictObject({
  title: z.string().min(1).optional(),
  sortOrder: counter.optional(),
});
export type UpdateTopicBody = z.infer<typeof UpdateTopicBody>;

export const EntryContentBody = z.strictObject({ type: z.string(), content: z.string() });

/** Body of POST /v0/topics/{topic_id}/entries. */
export const CreateTopicEntryBody = z.strictObject({
  content: EntryContentBody,
  sortOrder: counter.optional(),
});
export type CreateTopicEntryBody = z.infer<typeof CreateTopicEntryBody>;
