/** Persons: listed by age and read. Source: interface.md, "Persons". */
import { equals, getRow } from '../database/rows.ts';
import { listTable, orderOf } from '../database/list.ts';
import { persons } from '../database/tables.ts';
import { handlersOf } from '../http/handler.ts';

export const personRoutes = handlersOf(({ database, present }) => ({
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
    database.read(async (db) =>
      present(await getRow(db, 'person', persons, { tenantId, personId: params.person_id })),
    ),
}));
