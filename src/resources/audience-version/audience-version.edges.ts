/**
 * Fields that lead to audience versions, and from them to their audience and page.
 */
import { connectionType } from '../../graph/fields/connection-type.ts';
import { listField } from '../../graph/fields/list-field.ts';
import { List } from '../../graph/loading/list.ts';
import type { Context } from '../../graph/context.ts';
import { lookupField, referenceField } from '../../graph/fields/reference-field.ts';
import { builder } from '../../graph/schema/builder.ts';
import { statusError } from '../../rest/call/errors.ts';
import type { Audience } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { audienceEntity } from '../audience/audience.type.ts';
import { pageEntity } from '../page/page.type.ts';
import { audienceVersionEntity, ofPage, type VersionNode } from './audience-version.type.ts';

builder.queryField('audienceVersion', (t) =>
  t.field(
    lookupField(
      audienceVersionEntity,
      'Fetches a version of an audience by its global ID, or by its raw ID and those of its audience and page. Null if it does not exist.',
    ),
  ),
);

builder.objectFields(audienceEntity.ref, (t) => ({
  latestVersion: t.field({
    type: audienceVersionEntity.ref,
    nullable: true,
    resolve: ({ pageId, latestVersion: version }) => version && ofPage(pageId, version),
    description:
      'Newest version, published or not. Null if the backend returns none. No REST call.',
  }),
  publishedVersion: t.field({
    type: audienceVersionEntity.ref,
    nullable: true,
    resolve: ({ pageId, publishedVersion: version }) => version && ofPage(pageId, version),
    description: 'Version that visitors see. Null if none was ever published. No REST call.',
  }),
  versions: t.field(
    listField({
      type: connectionType(audienceVersionEntity.ref),
      description: 'Paginated list of the versions of the audience, newest first.',
      from: 'key',
      route: routes.listVersions,
      items: audienceVersionEntity,
      list: ({ pageId, audienceId }, _args, context) => {
        const path = { page_id: pageId, audience_id: audienceId };
        const versions = List.of(context, routes.listVersions, { path });
        return versions.map((version) => ofPage(pageId, version));
      },
      instead: {
        from: 'object',
        route: undefined,
        list: (audience, _args, context) => knownVersions(context, audience),
      },
    }),
  ),
}));

builder.objectFields(audienceVersionEntity.ref, (t) => ({
  audience: t.field(
    referenceField(audienceEntity, {
      from: 'key',
      description: 'Audience that this is a version of.',
    }),
  ),
  page: t.field(referenceField(pageEntity, { from: 'key', description: 'Page of the audience.' })),
}));

/** Fallback without the extended route: the versions contained in the audience. */
const knownVersions = (context: Context, parent: Audience) =>
  List.whole(
    context,
    { id: JSON.stringify(['versions of', parent.pageId, parent.audienceId]) },
    async ({ origin }) => {
      // If the route was just found to be missing, the parent may be only a key.
      const audience = isWhole(parent)
        ? parent
        : await audienceEntity.loader(context).load(parent, origin);
      if (!audience) throw statusError(routes.getAudience, { status: 404 });
      return versionsIn(audience);
    },
  );

const isWhole = (audience: object): boolean => 'latestVersion' in audience;

function versionsIn({ pageId, latestVersion, publishedVersion }: Audience): VersionNode[] {
  return [latestVersion, publishedVersion]
    .filter((version) => version !== null && version !== undefined)
    .filter((one, i, all) => all.findIndex(({ versionId }) => versionId === one.versionId) === i)
    .map((version) => ofPage(pageId, version));
}
