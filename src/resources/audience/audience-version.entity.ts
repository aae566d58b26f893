/**
 * The version of an audience, and how one is read by its key.
 *
 * REST's versions do not say which page they belong to, and no route reads one without it: the
 * graph adds `pageId` wherever a version comes from.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { AudienceVersion } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { findVersion } from './audience-version.source.ts';

export interface VersionNode extends AudienceVersion {
  readonly pageId: string;
}

export const AudienceVersionRef = builder.objectRef<VersionNode>('AudienceVersion');

export const audienceVersionEntity = new Entity({
  ref: AudienceVersionRef,
  key: ['pageId', 'audienceId', 'versionId'],
  route: routes.getVersion,
  find: async ({ rest }, key, call) => {
    const version = await findVersion(rest, key, call);
    return version && ofPage(key.pageId, version);
  },
});

/**
 * A version that knows its page; a broken version stays the error it is.
 *
 * Writes `pageId` onto the version itself, to save a copy of each. A frozen version is shared with
 * other requests and is copied instead.
 */
export function ofPage(pageId: string, version: AudienceVersion): VersionNode {
  if (version instanceof Error) return version as never;
  if ('pageId' in version && version.pageId === pageId) return version as VersionNode;
  return Object.isFrozen(version)
    ? { ...version, pageId }
    : Object.assign(version, { pageId } as const);
}
