/** Topics with all their entries: listed, read, changed, added to. Source: interface.md, "Topics". */
import { and, asc, inArray, max } from 'drizzle-orm';
import { MAX_INTEGER } from '../../v0/schemas/primitive.ts';
import type { Topic } from '../../v0/schemas/topic.ts';
import { equals, getRow, newId } from '../database/rows.ts';
import { topicEntries, topics, type TopicRow } from '../database/tables.ts';
import type { HandlerCall, Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';

export const topicRoutes = {
  listTopics: async (call) => {
    const page = await listPage(call, {
      table: topics,
      // Assumed: by sort order, since the API spec shows none.
      order: ['sortOrder', 'topicId'],
      present: (row) => row,
    });
    return { ...page, items: await withEntries(call, page.items) };
  },

  getTopic: (call) => readTopic(call),

  updateTopic: async (call) => {
    const { db, tenantId, params, body, nowMs } = call;
    const { title, sortOrder } = body;
    if (title !== undefined || sortOrder !== undefined) {
      // Drizzle ignores undefined values.
      await db
        .update(topics)
        .set({ title, sortOrder, updatedAt: nowMs })
        .where(equals(topics, { tenantId, topicId: params.topic_id }));
    }
    return readTopic(call);
  },

  createTopicEntry: async (call) => {
    const { db, tenantId, body, nowMs, present } = call;
    const { topicId } = await getTopicRow(call);
    const former = equals(topicEntries, { tenantId, topicId });
    const [last] = await db
      .select({ sortOrder: max(topicEntries.sortOrder) })
      .from(topicEntries)
      .where(former);
    // Assumed: an entry without a sort order goes to the end.
    const atEnd = Math.min(Math.floor(last?.sortOrder ?? -1) + 1, MAX_INTEGER);
    const { content, sortOrder = atEnd } = body;
    const times = { createdAt: nowMs, updatedAt: nowMs };
    const entry = { topicEntryId: newId('entry'), topicId, sortOrder, content, ...times };
    await db.insert(topicEntries).values({ tenantId, ...entry });
    await db.update(topics).set({ updatedAt: nowMs }).where(equals(topics, { tenantId, topicId }));
    return present(entry);
  },
} satisfies Partial<Handlers>;

type TopicCall = Pick<HandlerCall<'getTopic'>, 'db' | 'tenantId' | 'params' | 'present'>;

const getTopicRow = (call: TopicCall): Promise<TopicRow> =>
  getRow(call, 'topic', topics, { topicId: call.params.topic_id });

async function readTopic(call: TopicCall): Promise<Topic> {
  const [topic] = await withEntries(call, [await getTopicRow(call)]);
  return topic!;
}

async function withEntries(
  { db, tenantId, present }: Pick<HandlerCall, 'db' | 'tenantId' | 'present'>,
  rows: readonly TopicRow[],
): Promise<Topic[]> {
  const { topicId, sortOrder, topicEntryId } = topicEntries;
  const ids = rows.map((row) => row.topicId);
  const entries = await db
    .select()
    .from(topicEntries)
    .where(and(equals(topicEntries, { tenantId }), inArray(topicId, ids)))
    // The order of the index, which avoids a sort.
    .orderBy(asc(topicId), asc(sortOrder), asc(topicEntryId));
  return rows.map((row) => ({
    ...present(row),
    entries: entries.filter((entry) => entry.topicId === row.topicId).map(present),
  }));
}
