/** `pageLinks`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { connectionField } from '../../graph/connection/list-field.ts';
import { filtersOf } from '../../graph/connection/filters.ts';
import { mapList, restList } from '../../graph/connection/list.ts';
import { callerKey, rawId } from '../../graph/entity/caller-key.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from '../page/page.entity.ts';
import { PageLinkRef, TENANT_DOMAIN_ID, withPage } from './page-link.type.ts';

export const PageLinkConnectionRef = connectionType(PageLinkRef);

interface PageLinkArgs {
  readonly pageId?: string | null;
  readonly path?: string | null;
  readonly tenantDomainId?: string | null;
}

/** Links of one page know it: REST's links do not say which page they lead to. */
const filtered: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listPageLinks,
  list: (_query, args, context) => {
    // The schema declares them below.
    const { pageId: given, path, tenantDomainId } = args as PageLinkArgs;
    const pageId = given == null ? undefined : callerKey(pageEntity, { pageId: given }).pageId;
    const query = filtersOf({
      pageId,
      path,
      tenantDomainId: rawId('tenantDomainId', tenantDomainId),
    });
    const links = restList(context, routes.listPageLinks, { query });
    return mapList(links, (link) => withPage(link, pageId));
  },
};

builder.queryField('pageLinks', (t) =>
  connectionField(t, {
    type: PageLinkConnectionRef,
    description:
      'Paginated list of the page links on one domain. Their `page` and `target.audience` can only be followed when `pageId` is given.',
    args: {
      pageId: t.arg.id({
        description:
          'Raw id (`pageId`) or global id (`id`) of the page whose links are listed. Links of all pages are listed when absent.',
      }),
      path: t.arg.string({ description: 'Only the link with exactly this URL path.' }),
      tenantDomainId: t.arg.id({ description: TENANT_DOMAIN_ID }),
    },
    demand: () => filtered,
  }),
);
