/** Persons: listed by age and read. Source: interface.md, "Persons". */
import { and, eq } from 'drizzle-orm';
import type { Person } from '../../v0/person.ts';
import type { Executor } from '../database/executor.ts';
import type { Handlers, House } from '../http/handler.ts';
import { listPage } from '../database/list.ts';
import type { ListOrder } from '../database/list.ts';
import { notFound } from '../http/problem.ts';
import { persons } from '../database/tables.ts';
import type { PersonRow } from '../database/tables.ts';
import type { WriteTime } from '../time.ts';

/** Assumed: oldest first, since the document shows no order. */
const byAge: ListOrder<PersonRow> = {
  direction: 'asc',
  columns: [persons.createdAt, persons.personId],
  keysOf: ({ createdAt, personId }) => [createdAt, personId],
  example: [0, ''],
};

export const personRoutes = ({
  database,
  time,
}: House): Pick<Handlers, 'getPerson' | 'listPersons'> => ({
  listPersons: ({ tenantId, list }) =>
    database.read((db) => {
      const own = eq(persons.tenantId, tenantId);
      return listPage(
        list,
        byAge,
        ({ after, orderBy, fetch }) =>
          db.select().from(persons).where(and(own, after)).orderBy(orderBy).limit(fetch),
        () => db.$count(persons, own),
        (row) => presentPerson(row, time),
      );
    }),

  getPerson: ({ tenantId, params }) =>
    database.read(async (db) => {
      const row = await getPersonRow(db, tenantId, params.person_id);
      return presentPerson(row, time);
    }),
});

/** @throws {Problem} 404 when the tenant has no such person. */
export async function getPersonRow(
  db: Executor,
  tenantId: string,
  personId: string,
): Promise<PersonRow> {
  const row = await db
    .select()
    .from(persons)
    .where(and(eq(persons.tenantId, tenantId), eq(persons.personId, personId)))
    .get();
  if (!row) throw notFound('person', 'person_id', personId);
  return row;
}

export const presentPerson = (
  { tenantId: _, createdAt, updatedAt, ...row }: PersonRow,
  time: WriteTime,
): Person => ({ ...row, createdAt: time(createdAt), updatedAt: time(updatedAt) });
