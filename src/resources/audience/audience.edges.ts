/**
 * Fields that lead to audiences, and from them to their page.
 *
 * Edges are defined with the child, so pages do not depend on audiences.
 */
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import type { Context } from '../../graph/context.ts';
import { valueAt } from '../../graph/types/key.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { routes } from '../../v0/routes.ts';
import type { Audience } from '../../v0/schemas/audience.ts';
import { pageEntity } from '../page/page.type.ts';
import { audienceEntity } from './audience.type.ts';

builder.queryField('audience', (t) =>
  t.field(
    lookupField(
      audienceEntity,
      'Fetches an audience by its global ID, or by its raw ID and that of its page. Null if it does not exist.',
    ),
  ),
);

export const AudienceConnectionRef = connectionType(audienceEntity.ref, audienceEntity);

export const audiencesOfPage = listField({
  type: AudienceConnectionRef,
  description: 'Paginated list of the audiences of the page, which are its variants.',
  from: 'key',
  route: routes.listAudiences,
  items: audienceEntity,
  list: ({ pageId }: Pick<Audience, 'pageId'>, _args, context) =>
    List.of(context, routes.listAudiences, { path: { page_id: pageId } }),
  instead: {
    from: 'key',
    route: routes.listPageLinks,
    paginates: true,
    references: true,
    shares: ['pageId'],
    list: ({ pageId }, _args, context) => linkedAudiences(context, pageId),
  },
});

builder.objectField(pageEntity.ref, 'audiences', (t) => t.field(audiencesOfPage));

builder.objectField(audienceEntity.ref, 'page', (t) =>
  t.field(
    referenceField(pageEntity, {
      from: 'key',
      description: 'Page that the audience is a variant of.',
    }),
  ),
);

/**
 * Fallback without the extended route: the distinct audiences of the page's links, by key. Assumed: see
 * docs/assumptions.md.
 */
function linkedAudiences(context: Context, pageId: string) {
  const source = List.of(context, routes.listPageLinks, { query: { pageId } });
  return List.whole(
    context,
    { id: JSON.stringify(['audiences of', source.id]), source },
    async (call) => {
      const links = await source.all(call);
      const ids = links.map((link) => valueAt(link, 'target', 'audienceId'));
      return audienceEntity.references(ids, (audienceId) => ({
        pageId,
        audienceId,
      }));
    },
    async ({ origin }) => {
      const page = await pageEntity.loader(context).load({ pageId }, origin);
      return page?.audiencesCount ?? null;
    },
  );
}
