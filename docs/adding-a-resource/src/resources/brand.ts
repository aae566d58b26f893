/** Brands of pages. Source: interface.md, "Brand". */
import { Entity } from '../graph/entity/entity.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { writeField } from '../graph/fields/mutation.ts';
import { lookupField, referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { routes } from '../v0/routes.ts';
import { Brand, type BRAND_STATUSES } from '../v0/schemas/page.ts';
import { pageEntity } from './page.ts';

const brandEntity = new Entity({
  ref: builder.objectRef<Brand>('Brand'),
  key: ['brandId'],
  route: routes.getBrand,
});

const BrandStatusRef = builder.enumType('BrandStatus', {
  description: 'Whether a brand is in use.',
  values: {
    active: { description: 'New pages can use the brand.' },
    retired: { description: 'Only existing pages use the brand.' },
  } satisfies Record<(typeof BRAND_STATUSES)[number], object>,
});

restType(brandEntity, Brand, {
  description: 'A brand that pages belong to.',
  fields: { status: BrandStatusRef },
  added: (t) => ({
    initial: t.string({
      description: 'First letter of the name, for a badge. No REST call.',
      // An error that replaces an invalid name stays an error.
      resolve: ({ name }) => ((name as unknown) instanceof Error ? name : name.charAt(0)),
    }),
  }),
});

lookupField(brandEntity);

listField('Query', 'brands', {
  type: connectionType(brandEntity.ref),
  description: 'Paginated list of brands.',
  route: routes.listBrands,
  items: brandEntity,
  list: (_query, _args, context) => List.of(context, routes.listBrands, {}),
});

listField(brandEntity.ref, 'pages', {
  type: connectionType(pageEntity.ref),
  description: 'Paginated list of the pages of the brand.',
  route: routes.listBrandPages,
  items: pageEntity,
  list: ({ brandId }, _args, context) =>
    List.of(context, routes.listBrandPages, { path: { brand_id: brandId } }),
});

referenceField(pageEntity.ref, 'brand', brandEntity, {
  from: 'object',
  description: 'Brand of the page.',
});

writeField({
  name: 'updateBrand',
  description: 'Updates a brand.',
  route: routes.updateBrand,
  returns: brandEntity,
  input: {
    description: 'Changes to a brand. Omitted fields keep their values.',
    fields: { status: BrandStatusRef },
  },
  target: { field: 'id', entity: brandEntity },
  readBack: ['name', 'status', 'updatedAt'],
});
