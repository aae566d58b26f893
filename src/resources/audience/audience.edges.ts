/**
 * Page → Audiences, Audience → Page.
 *
 * The edge lives with the child, so pages need not know their audiences.
 */
import type { Context } from '../../graph/context.ts';
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { NodeReference } from '../../graph/connection/node-page.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { connectionField, listDemand } from '../../graph/connection/list-field.ts';
import { restList, type Counted, type List } from '../../graph/connection/list.ts';
import { walkList } from '../../graph/connection/list-walk.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity, PageRef } from '../page/page.entity.ts';
import { audienceEntity, AudienceRef } from './audience.entity.ts';

const AudienceConnectionRef = connectionType(AudienceRef, audienceEntity);

const listed = listDemand({
  from: 'key',
  route: routes.listAudiences,
  items: audienceEntity,
  input: ({ pageId }: { pageId: string }) => ({ path: { page_id: pageId } }),
});

/**
 * Without the extended route: the distinct audiences that the page's links point to, by their keys.
 * Assumed: see docs/assumptions.md.
 */
const linked: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listPageLinks,
  walks: true,
  references: true,
  items: audienceEntity,
  shares: ['pageId'],
  list: (parent, _args, context) => linkedAudiences(context, (parent as { pageId: string }).pageId),
};

builder.objectField(PageRef, 'audiences', (t) =>
  connectionField(t, {
    type: AudienceConnectionRef,
    description: 'Paginated list of the audiences of the page, which are its variants.',
    demand: (routeSet) => (routeSet === 'extended' ? listed : linked),
  }),
);

builder.objectField(AudienceRef, 'page', (t) =>
  referenceField(t, pageEntity, {
    description: 'Page that the audience is a variant of.',
    from: 'key',
    key: ({ pageId }) => ({ pageId }),
  }),
);

function linkedAudiences(context: Context, pageId: string): List<NodeReference> {
  const links = restList(context, routes.listPageLinks, { query: { pageId } });
  const fetch = async (call: CallOptions): Promise<Counted<NodeReference>> => {
    const ids = new Set<string>();
    for await (const page of walkList(context, links, call)) {
      for (const { target } of page) {
        if (typeof target?.audienceId === 'string') ids.add(target.audienceId);
      }
    }
    return {
      items: [...ids].map((audienceId) => new NodeReference({ pageId, audienceId })),
      hasMore: false,
      nextCursor: null,
      totalCount: async () =>
        (await pageEntity.loader(context).load({ pageId }, call.origin))?.audiencesCount ?? null,
    };
  };
  return {
    id: JSON.stringify(['audiences of', links.id]),
    source: links,
    fetch: (_page, call) => fetch(call),
  };
}
