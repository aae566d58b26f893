/**
 * Audience → Versions, and a version's audience and page.
 */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { referenceField } from '../../graph/entity/reference-field.ts';
import { connectionField, listDemand } from '../../graph/connection/list-field.ts';
import type { Audience, AudienceVersion } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from '../page/page.entity.ts';
import { audienceEntity, AudienceRef } from '../audience/audience.entity.ts';
import { audienceVersionEntity, AudienceVersionRef, ofPage } from './audience-version.entity.ts';

const AudienceVersionConnectionRef = connectionType(AudienceVersionRef);

builder.objectFields(AudienceRef, (t) => ({
  latestVersion: t.field({
    type: AudienceVersionRef,
    nullable: true,
    resolve: ({ pageId, latestVersion: version }) => version && ofPage(pageId, version),
    description:
      'Newest version, published or not. Null when the backend answers none. No call of its own.',
  }),
  publishedVersion: t.field({
    type: AudienceVersionRef,
    nullable: true,
    resolve: ({ pageId, publishedVersion: version }) => version && ofPage(pageId, version),
    description:
      'Version that visitors see. Null when none was ever published. No call of its own.',
  }),
  versions: connectionField(t, {
    type: AudienceVersionConnectionRef,
    description: 'Paginated list of the versions of the audience, newest first.',
    demand: (routeSet) => (routeSet === 'extended' ? listed : known),
  }),
}));

builder.objectFields(AudienceVersionRef, (t) => ({
  audience: referenceField(t, audienceEntity, {
    description: 'Audience that this is a version of.',
    from: 'key',
    key: ({ pageId, audienceId }) => ({ pageId, audienceId }),
  }),
  page: referenceField(t, pageEntity, {
    description: 'Page of the audience.',
    from: 'key',
    key: ({ pageId }) => ({ pageId }),
  }),
}));

const listed = listDemand({
  from: 'key',
  route: routes.listVersions,
  items: audienceVersionEntity,
  input: ({ pageId, audienceId }: { pageId: string; audienceId: string }) => ({
    path: { page_id: pageId, audience_id: audienceId },
  }),
  toNode: (version: AudienceVersion, { pageId }) => ofPage(pageId, version),
});

/** Without the extended route: the versions that came with the audience. */
const known: ListDemand = {
  kind: 'list',
  from: 'object',
  route: undefined,
  items: audienceVersionEntity,
  list: (parent) => {
    // A demand from the object is only ever read with the object itself.
    const { pageId, audienceId, latestVersion, publishedVersion } = parent as Audience;
    const versions = [latestVersion, publishedVersion]
      .filter((version) => version !== null && version !== undefined)
      .filter((one, i, all) => all.findIndex(({ versionId }) => versionId === one.versionId) === i)
      .map((version) => ofPage(pageId, version));
    return {
      id: JSON.stringify(['versions of', pageId, audienceId]),
      fetch: () =>
        Promise.resolve({
          items: versions,
          hasMore: false,
          nextCursor: null,
          totalCount: versions.length,
        }),
    };
  },
};
