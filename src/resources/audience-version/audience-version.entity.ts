/**
 * The version of an audience, and how one is read by its key.
 *
 * REST's versions do not say which page they belong to, and no route reads one without it: the
 * graph adds `pageId` wherever a version comes from.
 */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import { routes } from '../../v0/routes.ts';
import { ofPage, type VersionNode } from '../audience/audience.entity.ts';
import { findVersion } from './audience-version.source.ts';

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
