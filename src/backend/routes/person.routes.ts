/** Persons: listed by age and read. Source: interface.md, "Persons". */
import type { Executor } from '../database/database.ts';
import { equals } from '../database/equals.ts';
import { listTable, orderOf } from '../database/list.ts';
import { persons, type PersonRow } from '../database/tables.ts';
import type { Handlers, Services } from '../http/handler.ts';
import { notFound } from '../http/problem.ts';

export const personRoutes = ({
  database,
  present,
}: Services): Pick<Handlers, 'getPerson' | 'listPersons'> => ({
  listPersons: ({ tenantId, list }) =>
    database.read((db) =>
      listTable(db, list, {
        table: persons,
        where: equals(persons, { tenantId }),
        // Assumed: oldest first, since the document shows no order.
        order: orderOf(persons, 'asc', 'createdAt', 'personId'),
        present,
      }),
    ),

  getPerson: ({ tenantId, params }) =>
    database.read(async (db) => present(await getPersonRow(db, tenantId, params.person_id))),
});

/** @throws {Problem} 404 when the tenant has no such person. */
export async function getPersonRow(
  db: Executor,
  tenantId: string,
  personId: string,
): Promise<PersonRow> {
  const row = await db.select().from(persons).where(equals(persons, { tenantId, personId })).get();
  if (!row) throw notFound('person', 'person_id', personId);
  return row;
}
