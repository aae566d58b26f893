/** The type of brands. Source: interface.md, "Brand". */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { routes } from '../../v0/routes.ts';
import { Brand } from '../../v0/schemas/page.ts';

export const brandEntity = new Entity({
  ref: builder.objectRef<Brand>('Brand'),
  key: ['brandId'],
  route: routes.getBrand,
});

restType(brandEntity, Brand, {
  description: 'A brand that pages belong to.',
  added: (t) => ({
    initial: t.string({
      description: 'First letter of the name, for a badge. No call of its own.',
      // An error in place of an invalid name stays an error.
      resolve: ({ name }) => ((name as unknown) instanceof Error ? name : name.charAt(0)),
    }),
  }),
});
