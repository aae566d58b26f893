/**
 * Topics and their entries: listed, read, changed, added to. Source: interface.md, "Topics".
 *
 * A topic travels with all its entries, which the same query reads.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import { MAX_INTEGER } from '../../v0/schemas/primitive.ts';
import type { Topic } from '../../v0/schemas/topic.ts';
import { listPage } from '../database/list.ts';
import { newId } from '../database/new-row.ts';
import { correlated, equals } from '../database/rows.ts';
import { topicEntries, topics, type TopicEntryRow, type TopicRow } from '../database/tables.ts';
import { notFound } from '../errors/problem.ts';
import type { Call, Handlers } from '../http/handler.ts';

type EntryRow = Omit<TopicEntryRow, 'tenantId'>;
type FullTopicRow = TopicRow & { entries: readonly EntryRow[] };

export const topicRoutes = {
  listTopics: ({ db, tenantId, list, present }) =>
    listPage(db, list, {
      select: db.select(selection).from(topics),
      table: topics,
      where: equals(topics, { tenantId }),
      // Assumed: by sort order, since the document shows none.
      order: ['sortOrder', 'topicId'],
      present: (row) => presentTopic(row, present),
    }),

  getTopic: async (call) => presentTopic(await getFullTopicRow(call), call.present),

  updateTopic: async (call) => {
    const { db, tenantId, params, body, nowMs, present } = call;
    const { title, sortOrder } = body;
    if (title !== undefined || sortOrder !== undefined) {
      // Drizzle leaves out what is undefined.
      await db
        .update(topics)
        .set({ title, sortOrder, updatedAt: nowMs })
        .where(equals(topics, { tenantId, topicId: params.topic_id }));
    }
    return presentTopic(await getFullTopicRow(call), present);
  },

  createTopicEntry: async (call) => {
    const { db, tenantId, body, nowMs, present } = call;
    const { topicId, entries } = await getFullTopicRow(call);
    const entry = {
      tenantId,
      topicEntryId: newId('entry'),
      topicId,
      sortOrder: body.sortOrder ?? sortOrderAfter(entries.at(-1)),
      content: body.content,
      createdAt: nowMs,
      updatedAt: nowMs,
    };
    await db.insert(topicEntries).values(entry);
    await db.update(topics).set({ updatedAt: nowMs }).where(equals(topics, { tenantId, topicId }));
    return present(entry);
  },
} satisfies Partial<Handlers>;

/** A topic's entries as one JSON text: as rows, they take the driver twice as long. */
const writtenEntries = correlated<string>(sql`(select
  json_group_array(
    json_object(
      'topicEntryId', ${topicEntries.topicEntryId},
      'topicId', ${topicEntries.topicId},
      'sortOrder', ${topicEntries.sortOrder},
      'content', json(${topicEntries.content}),
      'createdAt', ${topicEntries.createdAt},
      'updatedAt', ${topicEntries.updatedAt}
    )
  ) from ${topicEntries}
  where ${topicEntries.tenantId} = ${topics.tenantId} and ${topicEntries.topicId} = ${topics.topicId})`);

const selection = {
  ...getTableColumns(topics),
  entries: writtenEntries.mapWith((text: string) => (JSON.parse(text) as EntryRow[]).sort(byOrder)),
};

/** As the index has them; SQLite promises no order of what it groups. */
const byOrder = (a: EntryRow, b: EntryRow): number =>
  a.sortOrder - b.sortOrder || (a.topicEntryId < b.topicEntryId ? -1 : 1);

/** @throws {Problem} 404 when the tenant has no such topic. */
async function getFullTopicRow({
  db,
  tenantId,
  params: { topic_id: topicId },
}: Pick<Call<'getTopic'>, 'db' | 'tenantId' | 'params'>): Promise<FullTopicRow> {
  const own = equals(topics, { tenantId, topicId });
  const row = await db.select(selection).from(topics).where(own).get();
  if (!row) throw notFound('topic', topicId);
  return row;
}

/** Assumed: an entry without a sort order goes to the end. */
const sortOrderAfter = (last: EntryRow | undefined): number =>
  last ? Math.min(Math.floor(last.sortOrder) + 1, MAX_INTEGER) : 0;

const presentTopic = (row: FullTopicRow, present: Call['present']): Topic => ({
  ...present(row),
  entries: row.entries.map(present),
});
