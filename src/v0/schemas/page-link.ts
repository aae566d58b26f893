/**
 * Page links: routes on a tenant domain that point to an audience.
 *
 * Source: interface.md, "PageLink". Assumed: every field may be absent or null in practice.
 */
import { z } from 'zod';
import { looseString } from './primitive.ts';

export const PageLinkTarget = z.object({
  targetType: looseString.describe('Kind of target. The REST API does not document its values.'),
  audienceId: looseString.describe('ID of the audience that the link leads to.'),
});
export type PageLinkTarget = z.infer<typeof PageLinkTarget>;

export const PageLink = z.object({
  pageLinkId: looseString.describe('ID of this link.'),
  tenantDomainId: looseString.describe('ID of the domain.'),
  path: looseString.describe('URL path on the domain.'),
  target: PageLinkTarget.nullish().describe('Target of the link.'),
  createdAt: looseString.describe('Time of creation.'),
  updatedAt: looseString.describe('Time of the last change.'),
  deletedAt: looseString.describe('Time of deletion. Null if not deleted.'),
});
export type PageLink = z.infer<typeof PageLink>;
