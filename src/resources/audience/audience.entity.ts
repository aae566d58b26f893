/**
 * The audience, and how one is read by its key.
 *
 * Its latest and its published version come with it, and belong to its page.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Audience } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { findAudience } from './audience.source.ts';
import { ofPage, type VersionNode } from './audience-version.entity.ts';

export interface AudienceNode extends Audience {
  readonly latestVersion: VersionNode | null | undefined;
  readonly publishedVersion: VersionNode | null | undefined;
}

export const AudienceRef = builder.objectRef<AudienceNode>('Audience');

export const audienceEntity = new Entity({
  ref: AudienceRef,
  key: ['pageId', 'audienceId'],
  route: routes.getAudience,
  find: async ({ rest }, key, call) => {
    const audience = await findAudience(rest, key, call);
    return audience && withVersions(audience);
  },
});

/** An audience whose versions know their page. */
export function withVersions(audience: Audience): AudienceNode {
  const { pageId } = audience;
  const latestVersion = audience.latestVersion && ofPage(pageId, audience.latestVersion);
  const publishedVersion = audience.publishedVersion && ofPage(pageId, audience.publishedVersion);
  return latestVersion === audience.latestVersion && publishedVersion === audience.publishedVersion
    ? // The same objects, which have been told.
      (audience as AudienceNode)
    : { ...audience, latestVersion, publishedVersion };
}
