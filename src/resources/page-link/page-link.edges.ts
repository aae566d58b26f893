/**
 * Page → PageLinks, Audience → PageLinks, and from a link to its page and audience.
 *
 * Pages and audiences need not know their links: all these edges live here.
 */
import { builder } from '../../graph/types/builder.ts';
import type { Context } from '../../graph/context.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { connectionField, listField } from '../../graph/connection/list-field.ts';
import { filtersOf } from '../../graph/connection/filters.ts';
import { soundKey } from '../../graph/entity/key.ts';
import { mapList, restList, type List } from '../../graph/connection/list.ts';
import { walkList } from '../../graph/connection/list-walk.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import type { PageLink } from '../../v0/page-link.ts';
import { routes } from '../../v0/routes.ts';
import { audienceEntity, AudienceRef } from '../audience/audience.entity.ts';
import { pageEntity, PageRef } from '../page/page.entity.ts';
import { PageLinkConnectionRef } from './page-link.queries.ts';
import {
  pageIdOf,
  PageLinkRef,
  PageLinkTargetRef,
  withPage,
  type PageLinkNode,
} from './page-link.type.ts';

builder.objectField(PageRef, 'links', (t) =>
  listField(t, {
    type: PageLinkConnectionRef,
    description: 'The links that lead to this page, on one domain.',
    from: 'key',
    shares: ['pageId'],
    route: routes.listPageLinks,
    args: {
      path: t.arg.string({ description: 'Only the link with this path.' }),
      tenantDomainId: t.arg.id({
        description: 'The custom domain, by its REST id; the fallback subdomain when absent.',
      }),
    },
    input: ({ pageId }, { path, tenantDomainId }) => ({
      query: filtersOf({ pageId, path, tenantDomainId }),
    }),
    toNode: (link: PageLink, { pageId }) => withPage(link, pageId),
  }),
);

builder.objectField(PageLinkRef, 'page', (t) =>
  referenceField(t, pageEntity, {
    description: 'The page it leads to. Known only among the links of one page.',
    from: 'object',
    key: (link) => ({ pageId: pageIdOf(link) }),
  }),
);

builder.objectField(PageLinkTargetRef, 'audience', (t) =>
  referenceField(t, audienceEntity, {
    description: 'The audience it leads to. Known only among the links of one page.',
    from: 'object',
    key: (target) =>
      target.audienceId ? { pageId: pageIdOf(target), audienceId: target.audienceId } : null,
  }),
);

/** REST filters links by page only: the page's links are read, all of them, and sifted here. */
const toAudience: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listPageLinks,
  proves: false,
  walks: true,
  items: undefined,
  list: (parent, { tenantDomainId }, context) => {
    // Only ever called with an audience or its key.
    const { pageId, audienceId } = parent as AudienceKey;
    const domain = filtersOf({ tenantDomainId: tenantDomainId as string });
    return linksTo(context, soundKey({ pageId, audienceId }), domain);
  },
};

builder.objectField(AudienceRef, 'links', (t) =>
  connectionField(t, {
    type: PageLinkConnectionRef,
    description:
      'The links that lead to this audience, on one domain. Reads all links of its page, 100 a call.',
    args: {
      tenantDomainId: t.arg.id({
        description: 'The custom domain, by its REST id; the fallback subdomain when absent.',
      }),
    },
    demand: () => toAudience,
  }),
);

interface AudienceKey {
  readonly pageId: string;
  readonly audienceId: string;
}

function linksTo(
  context: Context,
  { pageId, audienceId }: AudienceKey,
  domain: { readonly tenantDomainId?: string },
): List<PageLinkNode> {
  const ofPage = restList(context, routes.listPageLinks, { query: { pageId, ...domain } });
  const fetch = async (call: CallOptions) => {
    const links: PageLink[] = [];
    for await (const page of walkList(context, ofPage, call)) {
      links.push(...page.filter((link) => link.target?.audienceId === audienceId));
    }
    return { items: links, hasMore: false, nextCursor: null, totalCount: links.length };
  };
  return mapList(
    {
      id: JSON.stringify(['to', audienceId, ofPage.id]),
      source: ofPage,
      fetch: (_page, call) => fetch(call),
    },
    (link: PageLink) => withPage(link, pageId),
  );
}
