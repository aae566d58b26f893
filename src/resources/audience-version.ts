/**
 * Versions of audiences. Source: interface.md, "AudienceVersion". REST versions lack their page, which their route
 * requires, so the graph adds `pageId`.
 */
import { Entity } from '../graph/entity/entity.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { lookupField, referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { statusError } from '../rest/call/errors.ts';
import type { CallOptions, RestClient } from '../rest/client/client.ts';
import { routes } from '../v0/routes.ts';
import { type Audience, type AUDIENCE_STATUSES, AudienceVersion } from '../v0/schemas/audience.ts';
import { AudienceStatusRef, audienceEntity } from './audience.ts';
import { pageEntity } from './page.ts';

export type VersionStatus = (typeof AUDIENCE_STATUSES)[number];

/** Order of the states of a version. */
export const RANKS: Readonly<Record<VersionStatus, number>> = {
  pending: 0,
  draft: 1,
  queued: 2,
  processing: 3,
  published: 4,
  cancelled: 4,
  archived: 5,
};

/** `NaN` for an invalid or unknown status, which is neither before nor after any other. */
export const rankOf = ({ status }: Pick<VersionNode, 'status'>): number => RANKS[status] ?? NaN;

export interface VersionNode extends AudienceVersion {
  readonly pageId: string;
}

/**
 * Returns a copy of a version with its page. A copy, since responses are shared with other requests.
 *
 * Copied field by field, which takes a third of the time and memory of `Object.assign`.
 */
export const ofPage = (pageId: string, version: AudienceVersion): VersionNode =>
  version instanceof Error
    ? // An error that replaces an invalid version stays an error.
      (version as AudienceVersion as VersionNode)
    : {
        pageId,
        versionId: version.versionId,
        audienceId: version.audienceId,
        versionNumber: version.versionNumber,
        status: version.status,
        isNewPageAgent: version.isNewPageAgent,
        supplementaryContext: version.supplementaryContext,
        queueDurationMs: version.queueDurationMs,
        createdAt: version.createdAt,
        becameDraftAt: version.becameDraftAt,
        queuedAt: version.queuedAt,
        publishedAt: version.publishedAt,
        cancelledAt: version.cancelledAt,
        obsoleteAt: version.obsoleteAt,
        archivedAt: version.archivedAt,
      };

export const audienceVersionEntity = new Entity({
  ref: builder.objectRef<VersionNode>('AudienceVersion'),
  key: ['pageId', 'audienceId', 'versionId'],
  route: routes.getVersion,
  find: ({ rest }, key, call) => findVersion(rest, key, call),
});

export type VersionKey = Pick<VersionNode, 'pageId' | 'audienceId' | 'versionId'>;

export async function findVersion(
  rest: RestClient,
  { pageId, audienceId, versionId }: VersionKey,
  call?: CallOptions,
): Promise<VersionNode | null> {
  const path = { page_id: pageId, audience_id: audienceId, version_id: versionId };
  const version = await rest.find(routes.getVersion, { path }, call);
  return version && ofPage(pageId, version);
}

restType(audienceVersionEntity, AudienceVersion, {
  description:
    'A version of an audience. Publishing is asynchronous: the status goes from `draft` through `queued` and `processing` to `published` or `cancelled`.',
  added: (t) => ({
    pageId: t.exposeID('pageId', {
      description:
        'Raw ID of the page of this version. Added by the gateway: the REST API omits it.',
    }),
  }),
  fields: { status: AudienceStatusRef },
});

lookupField(audienceVersionEntity);

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
}));

listField(audienceEntity.ref, 'versions', {
  type: connectionType(audienceVersionEntity.ref),
  description: 'Paginated list of the versions of the audience, newest first.',
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
    // The versions contained in the audience.
    list: (parent, _args, context) => {
      const id = JSON.stringify(['versions of', parent.pageId, parent.audienceId]);
      return List.whole(context, { id }, async ({ origin }) => {
        // If the route was just found to be missing, the parent may be only a key.
        const audience = isWhole(parent)
          ? parent
          : await audienceEntity.loader(context).load(parent, origin);
        if (!audience) throw statusError(routes.getAudience, { status: 404 });
        return versionsIn(audience);
      });
    },
  },
});

referenceField(audienceVersionEntity.ref, 'audience', audienceEntity, {
  from: 'key',
  description: 'Audience that this is a version of.',
});
referenceField(audienceVersionEntity.ref, 'page', pageEntity, {
  from: 'key',
  description: 'Page of the audience.',
});

const isWhole = (audience: object): boolean => 'latestVersion' in audience;

function versionsIn({ pageId, latestVersion, publishedVersion }: Audience): VersionNode[] {
  return [latestVersion, publishedVersion]
    .filter((version) => version !== null && version !== undefined)
    .filter((one, i, all) => all.findIndex(({ versionId }) => versionId === one.versionId) === i)
    .map((version) => ofPage(pageId, version));
}
