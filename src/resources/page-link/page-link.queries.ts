/** `pageLinks`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { listField } from '../../graph/connection/list-field.ts';
import { filtersOf } from '../../graph/connection/filters.ts';
import { routes } from '../../v0/routes.ts';
import { PageLinkRef, withPage } from './page-link.type.ts';

export const PageLinkConnectionRef = connectionType(PageLinkRef);

builder.queryField('pageLinks', (t) =>
  listField(t, {
    type: PageLinkConnectionRef,
    description: 'The links on one domain. With `pageId` they know the page they lead to.',
    from: 'key',
    route: routes.listPageLinks,
    args: {
      pageId: t.arg.id({ description: 'Only links to this page, by its REST id.' }),
      path: t.arg.string({ description: 'Only the link with this path.' }),
      tenantDomainId: t.arg.id({
        description: 'The custom domain, by its REST id; the fallback subdomain when absent.',
      }),
    },
    input: (_query, { pageId, path, tenantDomainId }) => ({
      query: filtersOf({ pageId, path, tenantDomainId }),
    }),
    toNode: (link, _query, { pageId }) => withPage(link, filtersOf({ pageId }).pageId),
  }),
);
