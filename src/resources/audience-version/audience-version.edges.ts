/**
 * Fields that lead to audience versions, and from them to their audience and page.
 */
import { connectionType } from '../../graph/connection/connection-type.ts';
import { connectionField, listDemand } from '../../graph/connection/list-field.ts';
import { wholePage } from '../../graph/connection/list.ts';
import type { ListDemand } from '../../graph/entity/demand.ts';
import { lookupField, referenceField } from '../../graph/entity/reference-field.ts';
import { builder } from '../../graph/types/builder.ts';
import type { Audience, AudienceVersion } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { audienceEntity, AudienceRef } from '../audience/audience.type.ts';
import { pageEntity } from '../page/page.type.ts';
import { audienceVersionEntity, AudienceVersionRef, ofPage } from './audience-version.type.ts';

builder.queryField('audienceVersion', (t) =>
  lookupField(
    t,
    audienceVersionEntity,
    'Fetches a version of an audience by its global id, or by its raw id and those of its audience and page. Null when there is none.',
  ),
);

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
    demand: { route: routes.listVersions, extended: listed, document: known },
  }),
}));

builder.objectFields(AudienceVersionRef, (t) => ({
  audience: referenceField(t, audienceEntity, {
    from: 'key',
    description: 'Audience that this is a version of.',
  }),
  page: referenceField(t, pageEntity, { from: 'key', description: 'Page of the audience.' }),
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
    const id = JSON.stringify(['versions of', pageId, audienceId]);
    return { id, fetch: () => Promise.resolve(wholePage(versions)) };
  },
};
