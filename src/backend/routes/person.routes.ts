/** Persons: listed by age and read. Source: interface.md, "Persons". */
import { getRow } from '../database/rows.ts';
import { persons } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';

export const personRoutes = {
  // Assumed: oldest first, since the API spec shows no order.
  listPersons: (call) => listPage(call, { table: persons, order: ['createdAt', 'personId'] }),

  getPerson: async (call) =>
    call.present(await getRow(call, 'person', persons, { personId: call.params.person_id })),
} satisfies Partial<Handlers>;
