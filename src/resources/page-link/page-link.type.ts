/**
 * The GraphQL type of page links.
 *
 * Links of REST lack their page, which the graph knows only for links read by page. No route reads a single link, so it
 * is not a node. Source: interface.md, "PageLink".
 */
import { unsupported } from '../../graph/errors.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { PageLink, PageLinkTarget } from '../../v0/schemas/page-link.ts';

/** Data added by the gateway. */
interface KnownPage {
  /** Page whose links were read; undefined for links of all pages. */
  readonly knownPageId?: string | undefined;
}

/** Description of the argument in all lists of links. */
export const TENANT_DOMAIN_ID =
  'Raw ID of the custom domain whose links are listed. Defaults to the fallback subdomain.';

type PageLinkNode = PageLink & KnownPage;
type PageLinkTargetNode = PageLinkTarget & KnownPage;

export const PageLinkRef = builder.objectRef<PageLinkNode>('PageLink');
export const PageLinkTargetRef = builder.objectRef<PageLinkTargetNode>('PageLinkTarget');

/**
 * Returns a link with its page: the requested one, or the one in the response. Assumed: some deployments return a
 * `pageId`, which the document does not show.
 */
export function withPage(link: PageLink, asked: string | undefined): PageLinkNode {
  const named = (link as { readonly pageId?: unknown }).pageId;
  const knownPageId = asked ?? (typeof named === 'string' ? named : undefined);
  return { ...link, knownPageId };
}

/**
 * Returns the page of a link.
 *
 * @throws UPSTREAM_UNSUPPORTED if it is unknown.
 */
export function pageIdOf({ knownPageId }: KnownPage): string {
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
