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
import { rawId } from '../../graph/entity/caller-key.ts';
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
  TENANT_DOMAIN_ID,
  withPage,
  type PageLinkNode,
} from './page-link.type.ts';

builder.objectField(PageRef, 'links', (t) =>
  listField(t, {
    type: PageLinkConnectionRef,
    description: 'Paginated list of the links to the page on one domain.',
    from: 'key',
    shares: ['pageId'],
    route: routes.listPageLinks,
    args: {
      path: t.arg.string({ description: 'Only the link with exactly this URL path.' }),
      tenantDomainId: t.arg.id({ description: TENANT_DOMAIN_ID }),
    },
    input: ({ pageId }, { path, tenantDomainId }) => ({
      query: filtersOf({ pageId, path, tenantDomainId: rawId('tenantDomainId', tenantDomainId) }),
    }),
    toNode: (link: PageLink, { pageId }) => withPage(link, pageId),
  }),
);

builder.objectField(PageLinkRef, 'page', (t) =>
  referenceField(t, pageEntity, {
    description:
      'Page that the link leads to. Null with an error when the links were not listed by page, since the REST API does not name it.',
    from: 'object',
    key: (link) => ({ pageId: pageIdOf(link) }),
  }),
);

builder.objectField(PageLinkTargetRef, 'audience', (t) =>
  referenceField(t, audienceEntity, {
    description:
      'Audience that the link leads to. Null with an error when the links were not listed by page, since the REST API does not name it.',
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
  walks: true,
  list: (parent, { tenantDomainId }, context) => {
    // Only ever called with an audience or its key.
    const { pageId, audienceId } = parent as AudienceKey;
    const domain = filtersOf({
      // The schema declares it below.
      tenantDomainId: rawId('tenantDomainId', tenantDomainId as string | null | undefined),
    });
    return linksTo(context, soundKey({ pageId, audienceId }), domain);
  },
};

builder.objectField(AudienceRef, 'links', (t) =>
  connectionField(t, {
    type: PageLinkConnectionRef,
    description:
      'Paginated list of the links to the audience on one domain. Reads all links of the page, 100 per call.',
    args: {
      tenantDomainId: t.arg.id({ description: TENANT_DOMAIN_ID }),
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
