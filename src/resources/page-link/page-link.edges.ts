/**
 * Fields that lead to page links, and from them to their page and audience.
 */
import { connectionType } from '../../graph/connection/connection-type.ts';
import { filtersOf } from '../../graph/connection/filters.ts';
import { connectionField, listField } from '../../graph/connection/list-field.ts';
import { readAll } from '../../graph/connection/list-walk.ts';
import { mapList, restList, wholePage, type List } from '../../graph/connection/list.ts';
import { callerKey, rawId } from '../../graph/entity/caller-key.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { soundKey } from '../../graph/entity/key.ts';
import type { KeyOf } from '../../graph/entity/entity.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { builder } from '../../graph/types/builder.ts';
import type { PageLink } from '../../v0/schemas/page-link.ts';
import { routes } from '../../v0/routes.ts';
import { audienceEntity, AudienceRef } from '../audience/audience.type.ts';
import { pageEntity, PageRef } from '../page/page.type.ts';
import {
  pageIdOf,
  PageLinkRef,
  PageLinkTargetRef,
  TENANT_DOMAIN_ID,
  withPage,
  type PageLinkNode,
} from './page-link.type.ts';

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
    // The schema declares them.
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
  t.field(
    connectionField({
      isRoot: true,
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
      demand: filtered,
    }),
  ),
);

builder.objectField(PageRef, 'links', (t) =>
  t.field(
    listField({
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
  ),
);

builder.objectField(PageLinkRef, 'page', (t) =>
  t.field(
    referenceField(pageEntity, {
      from: 'object',
      description:
        'Page that the link leads to. Null with an error when the links were not listed by page, since the REST API does not name it.',
      key: (link) => ({ pageId: pageIdOf(link) }),
    }),
  ),
);

builder.objectField(PageLinkTargetRef, 'audience', (t) =>
  t.field(
    referenceField(audienceEntity, {
      from: 'object',
      description:
        'Audience that the link leads to. Null with an error when the links were not listed by page, since the REST API does not name it.',
      key: (target) =>
        target.audienceId ? { pageId: pageIdOf(target), audienceId: target.audienceId } : null,
    }),
  ),
);

/** REST filters links by page only: the page's links are read, all of them, and sifted here. */
const toAudience: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listPageLinks,
  walks: true,
  list: (parent, args, context): List<PageLinkNode> => {
    // Only ever called with an audience or its key.
    const { pageId, audienceId } = parent as KeyOf<'pageId' | 'audienceId'>;
    soundKey({ audienceId });
    const { tenantDomainId } = args as PageLinkArgs;
    const query = filtersOf({ pageId, tenantDomainId: rawId('tenantDomainId', tenantDomainId) });
    const source = restList(context, routes.listPageLinks, { query });
    return {
      id: JSON.stringify(['to', audienceId, source.id]),
      source,
      fetch: async (_page, call) => {
        const links = await readAll(context, source, call);
        const wanted = links.filter((link) => link.target?.audienceId === audienceId);
        return wholePage(wanted.map((link) => withPage(link, pageId)));
      },
    };
  },
};

builder.objectField(AudienceRef, 'links', (t) =>
  t.field(
    connectionField({
      type: PageLinkConnectionRef,
      description:
        'Paginated list of the links to the audience on one domain. Reads all links of the page, 100 per call.',
      args: {
        tenantDomainId: t.arg.id({ description: TENANT_DOMAIN_ID }),
      },
      demand: toAudience,
    }),
  ),
);
