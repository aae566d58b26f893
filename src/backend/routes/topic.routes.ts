/**
 * Topics and their entries: listed, read, changed, added to. Source: interface.md, "Topics".
 *
 * A topic travels with all its entries; a list reads them for the whole page at once.
 */
import { and, inArray, sql } from 'drizzle-orm';
import { MAX_INTEGER } from '../../v0/schemas/primitive.ts';
import type { Topic } from '../../v0/schemas/topic.ts';
import type { Executor } from '../database/database.ts';
import { listPage, orderOf } from '../database/list.ts';
import { newId } from '../database/new-row.ts';
import { equals } from '../database/rows.ts';
import { topicEntries, topics, type TopicEntryRow, type TopicRow } from '../database/tables.ts';
import { notFound } from '../errors/problem.ts';
import { handlersOf } from '../http/handler.ts';
import type { Present } from '../http/present.ts';

type EntryRow = Omit<TopicEntryRow, 'tenantId'>;
type FullTopicRow = TopicRow & { entries: readonly EntryRow[] };

/** Assumed: by sort order, since the document shows none. */
const bySortOrder = orderOf(topics, 'asc', 'sortOrder', 'topicId');

export const topicRoutes = handlersOf(({ database, now, present }) => ({
  listTopics: ({ tenantId, list }) =>
    database.read((db) => {
      const own = equals(topics, { tenantId });
      return listPage(list, {
        order: bySortOrder,
        rows: async ({ after, orderBy, fetch }) => {
          const query = db.select().from(topics).where(and(own, after));
          return withEntries(db, tenantId, await query.orderBy(orderBy).limit(fetch));
        },
        total: () => db.$count(topics, own),
        present: (row: FullTopicRow) => presentTopic(row, present),
      });
    }),

  getTopic: ({ tenantId, params }) =>
    database.read(async (db) =>
      presentTopic(await getFullTopicRow(db, tenantId, params.topic_id), present),
    ),

  updateTopic: ({ tenantId, params, body }) =>
    database.write(async (db) => {
      const topicId = params.topic_id;
      const { title, sortOrder } = body;
      if (title !== undefined || sortOrder !== undefined) {
        await db
          .update(topics)
          .set({
            ...(title !== undefined && { title }),
            ...(sortOrder !== undefined && { sortOrder }),
            updatedAt: now(),
          })
          .where(equals(topics, { tenantId, topicId }));
      }
      return presentTopic(await getFullTopicRow(db, tenantId, topicId), present);
    }),

  createTopicEntry: ({ tenantId, params, body }) =>
    database.write(async (db) => {
      const { topicId, entries } = await getFullTopicRow(db, tenantId, params.topic_id);
      const createdAt = now();
      const entry = {
        tenantId,
        topicEntryId: newId('entry'),
        topicId,
        sortOrder: body.sortOrder ?? sortOrderAfter(entries.at(-1)),
        content: body.content,
        createdAt,
        updatedAt: createdAt,
      };
      await db.insert(topicEntries).values(entry);
      await db
        .update(topics)
        .set({ updatedAt: createdAt })
        .where(equals(topics, { tenantId, topicId }));
      return present(entry);
    }),
}));

/** @throws {Problem} 404 when the tenant has no such topic. */
async function getFullTopicRow(
  db: Executor,
  tenantId: string,
  topicId: string,
): Promise<FullTopicRow> {
  const rows = await db.select().from(topics).where(equals(topics, { tenantId, topicId }));
  const [topic] = await withEntries(db, tenantId, rows);
  if (!topic) throw notFound('topic', topicId);
  return topic;
}

/** A topic's entries as one JSON text: as rows, they take the driver twice as long. */
const WRITTEN = sql`
  json_group_array(
    json_object(
      'topicEntryId', ${topicEntries.topicEntryId},
      'topicId', ${topicEntries.topicId},
      'sortOrder', ${topicEntries.sortOrder},
      'content', json(${topicEntries.content}),
      'createdAt', ${topicEntries.createdAt},
      'updatedAt', ${topicEntries.updatedAt}
    )
  )`.mapWith((text: string) => (JSON.parse(text) as EntryRow[]).sort(byOrder));

/** As the index has them; SQLite promises no order of what it groups. */
const byOrder = (a: EntryRow, b: EntryRow): number =>
  a.sortOrder - b.sortOrder || (a.topicEntryId < b.topicEntryId ? -1 : 1);

async function withEntries(
  db: Executor,
  tenantId: string,
  rows: readonly TopicRow[],
): Promise<FullTopicRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ topicId }) => topicId);
  const lists = await db
    .select({ topicId: topicEntries.topicId, entries: WRITTEN })
    .from(topicEntries)
    .where(and(equals(topicEntries, { tenantId }), inArray(topicEntries.topicId, ids)))
    .groupBy(topicEntries.topicId);
  const byTopic = new Map(lists.map(({ topicId, entries }) => [topicId, entries]));
  return rows.map((row) => ({ ...row, entries: byTopic.get(row.topicId) ?? [] }));
}

/** Assumed: an entry without a sort order goes to the end. */
const sortOrderAfter = (last: EntryRow | undefined): number =>
  last ? Math.min(Math.floor(last.sortOrder) + 1, MAX_INTEGER) : 0;

const presentTopic = (row: FullTopicRow, present: Present): Topic => ({
  ...present(row),
  entries: row.entries.map(present),
});
