/**
 * The audience, and how one is read by its key.
 *
 * Its latest and its published version come with it, and belong to its page.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Audience, AudienceVersion } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { findAudience } from './audience.source.ts';

/** A version that knows its page. */
export interface VersionNode extends AudienceVersion {
  readonly pageId: string;
}

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

/** By answer: one page of a list may be read by thousands of fields, and is copied once. */
const copies = new WeakMap<Audience, AudienceNode>();

/** A copy of an audience whose versions know their page: answers are shared with other requests. */
export function withVersions(audience: Audience): AudienceNode {
  let copy = copies.get(audience);
  if (!copy) {
    const { pageId, latestVersion, publishedVersion } = audience;
    copy = {
      ...audience,
      latestVersion: latestVersion && ofPage(pageId, latestVersion),
      publishedVersion: publishedVersion && ofPage(pageId, publishedVersion),
    };
    copies.set(audience, copy);
  }
  return copy;
}

/**
 * A copy of a version that knows its page.
 *
 * Not a spread: with objects fresh from JSON its copies outlive young collections on Node 20, which
 * cost half as much CPU again as the rest of a query.
 */
export const ofPage = (pageId: string, version: AudienceVersion): VersionNode =>
  version instanceof Error
    ? // It stands for a version that the backend broke, and stays an error.
      (version as AudienceVersion as VersionNode)
    : Object.assign({}, version, { pageId });
