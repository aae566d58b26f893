/** Persons: listed by age and read. Source: interface.md, "Persons". */
import { equals, getRow } from '../database/rows.ts';
import { listPage } from '../database/list.ts';
import { persons } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';

export const personRoutes = {
  listPersons: ({ db, tenantId, list, present }) =>
    listPage(db, list, {
      select: db.select().from(persons),
      table: persons,
      where: equals(persons, { tenantId }),
      // Assumed: oldest first, since the API spec shows no order.
      order: ['createdAt', 'personId'],
      present,
    }),

  getPerson: async ({ db, tenantId, params, present }) =>
    present(await getRow(db, 'person', persons, { tenantId, personId: params.person_id })),
} satisfies Partial<Handlers>;
