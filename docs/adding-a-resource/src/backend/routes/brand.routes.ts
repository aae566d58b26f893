/** Brands: listed, read, changed, and read with their pages. Source: interface.md, "Brands". */
import { getTableColumns } from 'drizzle-orm';
import { listPage } from '../database/list.ts';
import { equals, getRow } from '../database/rows.ts';
import { brands, pages } from '../database/tables.ts';
import type { Handlers } from '../http/handler.ts';
import { audiencesCount, presentPage } from './page.routes.ts';

export const brandRoutes = {
  listBrands: ({ db, tenantId, list, present }) =>
    listPage(db, list, {
      select: db.select().from(brands),
      table: brands,
      where: equals(brands, { tenantId }),
      // Assumed: oldest first, since the document shows no order.
      order: ['createdAt', 'brandId'],
      present,
    }),

  getBrand: async ({ db, tenantId, params: { brand_id: brandId }, present }) =>
    present(await getRow(db, 'brand', brands, { tenantId, brandId })),

  updateBrand: async ({ db, tenantId, params: { brand_id: brandId }, body, nowMs, present }) => {
    const own = { tenantId, brandId };
    await db
      .update(brands)
      .set({ ...body, updatedAt: nowMs })
      .where(equals(brands, own));
    return present(await getRow(db, 'brand', brands, own));
  },

  listBrandPages: async ({ db, tenantId, params: { brand_id: brandId }, list, present }) => {
    await getRow(db, 'brand', brands, { tenantId, brandId });
    return listPage(db, list, {
      select: db.select({ ...getTableColumns(pages), audiencesCount }).from(pages),
      table: pages,
      where: equals(pages, { tenantId, brandId }),
      order: ['createdAt', 'pageId'],
      present: (row) => presentPage(row, present),
    });
  },
} satisfies Partial<Handlers>;
