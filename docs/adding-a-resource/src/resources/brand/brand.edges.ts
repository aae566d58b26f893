/** Fields that lead to brands, and from them to their pages. */
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from '../page/page.type.ts';
import { brandEntity } from './brand.type.ts';

builder.queryFields((t) => ({
  brand: t.field(lookupField(brandEntity, 'Fetches a brand by id. Null when there is none.')),
  brands: t.field(
    listField({
      type: connectionType(brandEntity.ref),
      description: 'Paginated list of brands.',
      isRoot: true,
      from: 'key',
      route: routes.listBrands,
      items: brandEntity,
      list: (_query, _args, context) => List.of(context, routes.listBrands, {}),
    }),
  ),
}));

builder.objectField(brandEntity.ref, 'pages', (t) =>
  t.field(
    listField({
      type: connectionType(pageEntity.ref),
      description: 'Paginated list of the pages of the brand.',
      from: 'key',
      route: routes.listBrandPages,
      items: pageEntity,
      list: ({ brandId }, _args, context) =>
        List.of(context, routes.listBrandPages, { path: { brand_id: brandId } }),
    }),
  ),
);

builder.objectField(pageEntity.ref, 'brand', (t) =>
  t.field(referenceField(brandEntity, { from: 'object', description: 'Brand of the page.' })),
);
