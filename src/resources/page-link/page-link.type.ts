/**
 * Page links as the graph shows them.
 *
 * REST does not say which page a link leads to: the graph knows it only when it asked for the links
 * of one page. No route reads a link alone, so it is no node. Source: interface.md, "PageLink".
 */
import { builder } from '../../graph/types/builder.ts';
import { unsupported } from '../../graph/errors.ts';
import type { PageLink, PageLinkTarget } from '../../v0/page-link.ts';

/** What the gateway knows beside REST's answer. */
interface KnownPage {
  /** The page whose links were asked for; undefined when no page was named. */
  readonly knownPageId?: string | undefined;
}

/** What the argument of that name means, wherever links are listed. */
export const TENANT_DOMAIN_ID =
  'Raw id of the custom domain whose links are listed. Defaults to the fallback subdomain.';

export type PageLinkNode = PageLink & KnownPage;
export type PageLinkTargetNode = PageLinkTarget & KnownPage;

export const PageLinkRef = builder.objectRef<PageLinkNode>('PageLink');
export const PageLinkTargetRef = builder.objectRef<PageLinkTargetNode>('PageLinkTarget');

/**
 * A link that knows its page: the one that was asked for, or the one the answer happens to name.
 * Assumed: some deployments answer a `pageId`, which the document does not show.
 */
export function withPage(link: PageLink, asked: string | undefined): PageLinkNode {
  const named = (link as { readonly pageId?: unknown }).pageId;
  const knownPageId = asked ?? (typeof named === 'string' ? named : undefined);
  return { ...link, knownPageId };
}

/**
 * The page a link leads to.
 *
 * @throws UPSTREAM_UNSUPPORTED when nothing tells it.
 */
export function pageIdOf({ knownPageId }: KnownPage): string {
  if (knownPageId) return knownPageId;
  throw unsupported(
    'The backend does not say which page a link leads to: ask for the links of one page, with pageLinks(pageId:) or Page.links.',
  );
}

builder.objectType(PageLinkRef, {
  description: 'A route on a tenant’s domain that leads to an audience of a page.',
  fields: (t) => ({
    pageLinkId: t.exposeID('pageLinkId', {
      nullable: true,
      description: 'The id REST knows this link by.',
    }),
    tenantDomainId: t.exposeID('tenantDomainId', {
      nullable: true,
      description: 'The domain it is a route of, by its REST id.',
    }),
    path: t.exposeString('path', { nullable: true, description: 'The path on the domain.' }),
    target: t.field({
      type: PageLinkTargetRef,
      nullable: true,
      description: 'What it leads to.',
      resolve: ({ target, knownPageId }) => {
        // An error stands for a target that the backend broke.
        if (target instanceof Error) throw target;
        return target && { ...target, knownPageId };
      },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was created.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last changed.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted; null while it is not.',
    }),
  }),
});

builder.objectType(PageLinkTargetRef, {
  description: 'What a page link leads to.',
  fields: (t) => ({
    targetType: t.exposeString('targetType', {
      nullable: true,
      description: 'What kind of target it is; the REST document lists no values.',
    }),
    audienceId: t.exposeID('audienceId', {
      nullable: true,
      description: 'The audience it leads to, by its REST id.',
    }),
  }),
});
