/**
 * Topics and their entries: listed, read, changed, added to. Source: interface.md, "Topics".
 *
 * A topic travels with all its entries, which the same query reads.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import { MAX_INTEGER } from '../../v0/schemas/primitive.ts';
import type { Topic } from '../../v0/schemas/topic.ts';
import type { Executor } from '../database/database.ts';
import { listPage, orderOf } from '../database/list.ts';
import { newId } from '../database/new-row.ts';
import { correlated, equals } from '../database/rows.ts';
import { topicEntries, topics, type TopicEntryRow, type TopicRow } from '../database/tables.ts';
import { notFound } from '../errors/problem.ts';
import type { Handlers } from '../http/handler.ts';
import type { Present } from '../http/present.ts';

type EntryRow = Omit<TopicEntryRow, 'tenantId'>;
type FullTopicRow = TopicRow & { entries: readonly EntryRow[] };

export const topicRoutes = {
  listTopics: ({ db, tenantId, list, present }) =>
    listPage(db, list, {
      select: db.select(selection).from(topics),
      table: topics,
      where: equals(topics, { tenantId }),
      // Assumed: by sort order, since the document shows none.
      order: orderOf(topics, 'asc', 'sortOrder', 'topicId'),
      present: (row) => presentTopic(row, present),
    }),

  getTopic: async ({ db, tenantId, params, present }) =>
    presentTopic(await getFullTopicRow(db, tenantId, params.topic_id), present),

  updateTopic: async ({ db, tenantId, params: { topic_id: topicId }, body, nowMs, present }) => {
    // Drizzle leaves out what is undefined.
    const { title, sortOrder } = body;
    if (title !== undefined || sortOrder !== undefined) {
      await db
        .update(topics)
        .set({ title, sortOrder, updatedAt: nowMs })
        .where(equals(topics, { tenantId, topicId }));
    }
    return presentTopic(await getFullTopicRow(db, tenantId, topicId), present);
  },

  createTopicEntry: async ({ db, tenantId, params, body, nowMs, present }) => {
    const { topicId, entries } = await getFullTopicRow(db, tenantId, params.topic_id);
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
async function getFullTopicRow(
  db: Executor,
  tenantId: string,
  topicId: string,
): Promise<FullTopicRow> {
  const own = equals(topics, { tenantId, topicId });
  const row = await db.select(selection).from(topics).where(own).get();
  if (!row) throw notFound('topic', topicId);
  return row;
}

/** Assumed: an entry without a sort order goes to the end. */
const sortOrderAfter = (last: EntryRow | undefined): number =>
  last ? Math.min(Math.floor(last.sortOrder) + 1, MAX_INTEGER) : 0;

const presentTopic = (row: FullTopicRow, present: Present): Topic => ({
  ...present(row),
  entries: row.entries.map(present),
});
