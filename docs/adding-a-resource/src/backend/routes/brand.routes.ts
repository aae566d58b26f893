/** Brands: listed, read, changed, and read with their pages. Source: interface.md, "Brands". */
import { getTableColumns } from 'drizzle-orm';
import { equals, getRow } from '../database/rows.ts';
import { brands, pages } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';
import { listPage } from './list.ts';
import { audiencesCount, presentPage } from './page.routes.ts';

export const brandRoutes = {
  // Assumed: oldest first, since the document shows no order.
  listBrands: (call) => listPage(call, { table: brands, order: ['createdAt', 'brandId'] }),

  getBrand: async (call) =>
    call.present(await getRow(call, 'brand', brands, { brandId: call.params.brand_id })),

  updateBrand: async (call) => {
    const { db, tenantId, body, nowMs, present } = call;
    const brandId = call.params.brand_id;
    await db
      .update(brands)
      .set({ ...body, updatedAt: nowMs })
      .where(equals(brands, { tenantId, brandId }));
    return present(await getRow(call, 'brand', brands, { brandId }));
  },

  listBrandPages: async (call) => {
    const brandId = call.params.brand_id;
    await getRow(call, 'brand', brands, { brandId });
    return listPage(call, {
      select: call.db.select({ ...getTableColumns(pages), audiencesCount }).from(pages),
      table: pages,
      where: equals(pages, { brandId }),
      order: ['createdAt', 'pageId'],
      present: (row) => presentPage(row, call.present),
    });
  },
} satisfies Partial<Handlers>;
