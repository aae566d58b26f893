/**
 * Page links. Source: interface.md, "PageLink". REST links lack their page, so only links read by page have one. No route
 * reads a single link, so it is not a node.
 */
import type { Context } from '../graph/context.ts';
import { rawId } from '../graph/entity/entity.ts';
import { unsupported } from '../graph/errors.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { requireKey, valueAt } from '../graph/types/key.ts';
import { isSameId } from '../lib/same-id.ts';
import { routes } from '../v0/routes.ts';
import { PageLink, PageLinkTarget } from '../v0/schemas/page-link.ts';
import { audienceEntity } from './audience.ts';
import { pageEntity } from './page.ts';

interface KnownPage {
  /** Page whose links were read; undefined for links of all pages. */
  readonly knownPageId?: string | undefined;
}

const TENANT_DOMAIN_ID =
  'Raw ID of the custom domain whose links are listed. Defaults to the fallback subdomain.';

type PageLinkNode = PageLink & KnownPage;
type PageLinkTargetNode = PageLinkTarget & KnownPage;

const PageLinkRef = builder.objectRef<PageLinkNode>('PageLink');
const PageLinkTargetRef = builder.objectRef<PageLinkTargetNode>('PageLinkTarget');

/**
 * Returns a link with its page: the requested one, or the one in the response. Assumed: some deployments return a
 * `pageId`, which the API spec does not show.
 */
function withPage(link: PageLink, requested: string | undefined): PageLinkNode {
  const named = (link as { readonly pageId?: unknown }).pageId;
  const knownPageId = requested ?? (typeof named === 'string' ? named : undefined);
  return { ...link, knownPageId };
}

/**
 * Returns the page of a link.
 *
 * @throws UPSTREAM_UNSUPPORTED if it is unknown.
 */
function pageIdOf({ knownPageId }: KnownPage): string {
  if (knownPageId) return knownPageId;
  throw unsupported(
    'Backend does not return the page of this link. Query the links of one page with `pageLinks(pageId:)` or `Page.links`.',
  );
}

restType(PageLinkRef, PageLink, {
  description:
    'A URL path on a tenant domain that leads to an audience of a page. Fields that the backend omits are null.',
  added: (t) => ({
    target: t.field({
      type: PageLinkTargetRef,
      nullable: true,
      description: 'Target of the link. No REST call.',
      resolve: ({ target, knownPageId }) => {
        // An error replaces an invalid target.
        if (target instanceof Error) throw target;
        return target && { ...target, knownPageId };
      },
    }),
  }),
});

restType(PageLinkTargetRef, PageLinkTarget, {
  description: 'Target of a page link. Fields that the backend omits are null.',
});

const PageLinkConnectionRef = connectionType(PageLinkRef);

/** @throws BAD_USER_INPUT for a global id of a domain. */
const linksOf = (
  context: Context,
  filters: {
    readonly pageId?: string | undefined;
    readonly path?: string | null | undefined;
    readonly tenantDomainId?: string | null | undefined;
  },
): List<PageLink> => {
  rawId('tenantDomainId', filters.tenantDomainId);
  return List.of(context, routes.listPageLinks, { query: filters });
};

listField('Query', 'pageLinks', {
  type: PageLinkConnectionRef,
  description:
    'Paginated list of the page links on one domain. Their `page` and `target.audience` are available only if `pageId` is given.',
  args: (t) => ({
    pageId: t.id({
      description:
        'Raw ID (`pageId`) or global ID (`id`) of the page whose links are listed. Defaults to all pages.',
    }),
    path: t.string({ description: 'Only the link with exactly this URL path.' }),
    tenantDomainId: t.id({ description: TENANT_DOMAIN_ID }),
  }),
  route: routes.listPageLinks,
  identifiedBy: ['pageLinkId'],
  // Links of REST lack their page, so only those of a given page have one.
  list: (_query, { pageId: given, path, tenantDomainId }, context) => {
    const pageId = given == null ? undefined : pageEntity.callerKey({ pageId: given }).pageId;
    const links = linksOf(context, { pageId, path, tenantDomainId });
    return links.map((link) => withPage(link, pageId));
  },
});

listField(pageEntity.ref, 'links', {
  type: PageLinkConnectionRef,
  description: 'Paginated list of the links to the page on one domain.',
  shares: ['pageId'],
  route: routes.listPageLinks,
  identifiedBy: ['pageLinkId'],
  args: (t) => ({
    path: t.string({ description: 'Only the link with exactly this URL path.' }),
    tenantDomainId: t.id({ description: TENANT_DOMAIN_ID }),
  }),
  list: ({ pageId }, { path, tenantDomainId }, context) =>
    linksOf(context, { pageId, path, tenantDomainId }).map((link) => withPage(link, pageId)),
});

referenceField(PageLinkRef, 'page', pageEntity, {
  from: 'object',
  description:
    'Page that the link leads to. Null with an error unless the links were listed by page, since the REST API does not return it.',
  key: (link) => ({ pageId: pageIdOf(link) }),
});

referenceField(PageLinkTargetRef, 'audience', audienceEntity, {
  from: 'object',
  description:
    'Audience that the link leads to. Null with an error unless the links were listed by page, since the REST API does not return it.',
  key: (target) =>
    target.audienceId ? { pageId: pageIdOf(target), audienceId: target.audienceId } : null,
});

listField(audienceEntity.ref, 'links', {
  type: PageLinkConnectionRef,
  description:
    'Paginated list of the links to the audience on one domain. Reads all links of the page, 100 per call.',
  args: (t) => ({ tenantDomainId: t.id({ description: TENANT_DOMAIN_ID }) }),
  route: routes.listPageLinks,
  identifiedBy: ['pageLinkId'],
  paginates: true,
  // REST filters links by page only, so all links of the page are read and filtered here.
  list: ({ pageId, audienceId }, { tenantDomainId }, context) => {
    requireKey({ audienceId });
    const source = linksOf(context, { pageId, tenantDomainId });
    const id = JSON.stringify(['to', audienceId, source.id]);
    return List.whole(context, { id, source }, async (call) => {
      const links = await source.all(call);
      return links.flatMap((link) => {
        const id = valueAt(link, 'target', 'audienceId');
        // An invalid link may lead to the audience.
        if (id instanceof Error) return id as unknown as PageLink;
        return isSameId(id, audienceId) ? withPage(link, pageId) : [];
      });
    });
  },
});
