/**
 * Page links: routes on a tenant domain that point to an audience.
 *
 * Source: interface.md, "PageLink". Assumed: every field may be absent or null in practice.
 */
import { z } from 'zod';
import { looseString } from '../primitive.ts';

export const PageLinkTarget = z.object({ targetType: looseString, audienceId: looseString });
export type PageLinkTarget = z.infer<typeof PageLinkTarget>;

export const PageLink = z.object({
  pageLinkId: looseString,
  tenantDomainId: looseString,
  path: looseString,
  target: PageLinkTarget.nullish(),
  createdAt: looseString,
  updatedAt: looseString,
  deletedAt: looseString,
});
export type PageLink = z.infer<typeof PageLink>;
