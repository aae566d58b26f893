/**
 * Topics and their entries: listed, read, changed, added to. Source: interface.md, "Topics".
 *
 * A topic travels with all its entries; a list reads them for the whole page at once.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { MAX_INTEGER } from '../../v0/primitive.ts';
import type { Topic, TopicEntry } from '../../v0/topic.ts';
import type { Executor } from '../database/executor.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { newId } from '../new-id.ts';
import { notFound } from '../http/problem.ts';
import { topicEntries, topics } from '../database/tables.ts';
import type { TopicEntryRow, TopicRow } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

type TopicRoute = 'createTopicEntry' | 'getTopic' | 'listTopics' | 'updateTopic';
type EntryRow = Omit<TopicEntryRow, 'tenantId'>;
type FullTopicRow = TopicRow & { entries: readonly EntryRow[] };

/** Assumed: by sort order, since the document shows none. */
const bySortOrder: ListOrder<TopicRow> = {
  direction: 'asc',
  columns: [topics.sortOrder, topics.topicId],
  keysOf: ({ sortOrder, topicId }) => [sortOrder, topicId],
  example: [0, ''],
};

export const topicRoutes = ({ database, now, time }: House): Pick<Handlers, TopicRoute> => ({
  listTopics: ({ tenantId, list }) =>
    database.read((db) => {
      const own = eq(topics.tenantId, tenantId);
      return listPage(
        list,
        bySortOrder,
        async ({ after, orderBy, fetch }) => {
          const rows = await db
            .select()
            .from(topics)
            .where(and(own, after))
            .orderBy(orderBy)
            .limit(fetch);
          return withEntries(db, tenantId, rows);
        },
        () => db.$count(topics, own),
        (row) => presentTopic(row, time),
      );
    }),

  getTopic: ({ tenantId, params }) =>
    database.read(async (db) =>
      presentTopic(await getFullTopicRow(db, tenantId, params.topic_id), time),
    ),

  updateTopic: ({ tenantId, params, body }) =>
    database.write(async (db) => {
      const { title, sortOrder } = body;
      if (title !== undefined || sortOrder !== undefined) {
        await db
          .update(topics)
          .set({
            ...(title !== undefined && { title }),
            ...(sortOrder !== undefined && { sortOrder }),
            updatedAt: now(),
          })
          .where(and(eq(topics.tenantId, tenantId), eq(topics.topicId, params.topic_id)));
      }
      return presentTopic(await getFullTopicRow(db, tenantId, params.topic_id), time);
    }),

  createTopicEntry: ({ tenantId, params, body }) =>
    database.write(async (db) => {
      const { topicId, entries } = await getFullTopicRow(db, tenantId, params.topic_id);
      const createdAt = now();
      const entry: EntryRow = {
        topicEntryId: newId('entry'),
        topicId,
        sortOrder: body.sortOrder ?? sortOrderAfter(entries.at(-1)),
        content: body.content,
        createdAt,
        updatedAt: createdAt,
      };
      await db.insert(topicEntries).values({ ...entry, tenantId });
      await db
        .update(topics)
        .set({ updatedAt: createdAt })
        .where(and(eq(topics.tenantId, tenantId), eq(topics.topicId, topicId)));
      return presentEntry(entry, time);
    }),
});

/** @throws {Problem} 404 when the tenant has no such topic. */
async function getFullTopicRow(
  db: Executor,
  tenantId: string,
  topicId: string,
): Promise<FullTopicRow> {
  const rows = await db
    .select()
    .from(topics)
    .where(and(eq(topics.tenantId, tenantId), eq(topics.topicId, topicId)));
  const [topic] = await withEntries(db, tenantId, rows);
  if (!topic) throw notFound('topic', 'topic_id', topicId);
  return topic;
}

/** A topic's entries in one text: as rows, they take the driver twice as long. */
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
    .where(and(eq(topicEntries.tenantId, tenantId), inArray(topicEntries.topicId, ids)))
    .groupBy(topicEntries.topicId);
  const byTopic = new Map(lists.map(({ topicId, entries }) => [topicId, entries]));
  return rows.map((row) => ({ ...row, entries: byTopic.get(row.topicId) ?? [] }));
}

/** Assumed: an entry without a sort order goes to the end. */
const sortOrderAfter = (last: EntryRow | undefined): number =>
  last ? Math.min(Math.floor(last.sortOrder) + 1, MAX_INTEGER) : 0;

const presentTopic = (
  { tenantId: _, createdAt, updatedAt, entries, ...row }: FullTopicRow,
  time: WriteTime,
): Topic => ({
  ...row,
  createdAt: time(createdAt),
  updatedAt: time(updatedAt),
  entries: entries.map((entry) => presentEntry(entry, time)),
});

const presentEntry = ({ createdAt, updatedAt, ...row }: EntryRow, time: WriteTime): TopicEntry => ({
  ...row,
  createdAt: time(createdAt),
  updatedAt: time(updatedAt),
});
