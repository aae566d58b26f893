/**
 * The GraphQL type of page links.
 *
 * REST does not say which page a link leads to: the graph knows it only when it asked for the links
 * of one page. No route reads a link alone, so it is no node. Source: interface.md, "PageLink".
 */
import { unsupported } from '../../graph/errors.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { PageLink, PageLinkTarget } from '../../v0/schemas/page-link.ts';

/** What the gateway knows beside REST's answer. */
interface KnownPage {
  /** The page whose links were asked for; undefined when no page was named. */
  readonly knownPageId?: string | undefined;
}

/** What the argument of that name means, wherever links are listed. */
export const TENANT_DOMAIN_ID =
  'Raw id of the custom domain whose links are listed. Defaults to the fallback subdomain.';

type PageLinkNode = PageLink & KnownPage;
type PageLinkTargetNode = PageLinkTarget & KnownPage;

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
 * @throws UPSTREAM_UNSUPPORTED when it is unknown.
 */
export function pageIdOf({ knownPageId }: KnownPage): string {
  if (knownPageId) return knownPageId;
  throw unsupported(
    'The backend does not say which page a link leads to: ask for the links of one page, with pageLinks(pageId:) or Page.links.',
  );
}

restType(PageLinkRef, PageLink, {
  description:
    'A URL path on a tenant domain that leads to an audience of a page. Any field is null when the backend leaves it out.',
  added: (t) => ({
    target: t.field({
      type: PageLinkTargetRef,
      nullable: true,
      description: 'Target of the link. No call of its own.',
      resolve: ({ target, knownPageId }) => {
        // An error stands for a target that the backend broke.
        if (target instanceof Error) throw target;
        return target && { ...target, knownPageId };
      },
    }),
  }),
});

restType(PageLinkTargetRef, PageLinkTarget, {
  description: 'Target of a page link. Any field is null when the backend leaves it out.',
});
