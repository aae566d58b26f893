/** Audiences: variants of a page. Source: interface.md, "Audience". A new audience has no published version. */
import { Entity } from '../graph/entity/entity.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { writeField } from '../graph/fields/mutation.ts';
import { lookupField, reference, referenceField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { valueAt } from '../graph/types/key.ts';
import { routes } from '../v0/routes.ts';
import {
  type AUDIENCE_STATUSES,
  Audience,
  type PUBLISH_BEHAVIORS,
} from '../v0/schemas/audience.ts';
import { PageMetadataInputRef, PageMetadataRef, pageEntity } from './page.ts';

export const audienceEntity = new Entity({
  ref: builder.objectRef<Audience>('Audience'),
  key: ['pageId', 'audienceId'],
  route: routes.getAudience,
});

export const AudienceStatusRef = builder.enumType('AudienceStatus', {
  description: 'Publishing status of an audience or of one of its versions.',
  values: {
    archived: { description: 'No longer in use.' },
    cancelled: { description: 'Publishing was cancelled before it completed.' },
    draft: { description: 'Not yet submitted for publishing.' },
    pending: {
      description:
        'Waiting for the backend. The REST API does not document how this differs from `queued`.',
    },
    processing: { description: 'Being published.' },
    published: { description: 'Visible to visitors.' },
    queued: { description: 'Waiting in the publishing queue.' },
  } satisfies Record<(typeof AUDIENCE_STATUSES)[number], object>,
});

restType(audienceEntity, Audience, {
  description: 'An audience: a variant of a page, for one person or for a group of visitors.',
  fields: {
    status: AudienceStatusRef,
    effectiveMetadata: PageMetadataRef,
    metadataOverride: PageMetadataRef,
  },
});

lookupField(audienceEntity);

const AudienceConnectionRef = connectionType(audienceEntity.ref, audienceEntity);

const startOfAudiences = listField(pageEntity.ref, 'audiences', {
  type: AudienceConnectionRef,
  description: 'Paginated list of the audiences of the page, which are its variants.',
  route: routes.listAudiences,
  items: audienceEntity,
  list: ({ pageId }, _args, context) =>
    List.of(context, routes.listAudiences, { path: { page_id: pageId } }),
  instead: {
    from: 'key',
    route: routes.listPageLinks,
    paginates: true,
    references: true,
    shares: ['pageId'],
    // The distinct audiences of the page's links, by key. Assumed: see docs/assumptions.md.
    list: ({ pageId }, _args, context) => {
      const source = List.of(context, routes.listPageLinks, { query: { pageId } });
      return List.whole(
        context,
        { id: JSON.stringify(['audiences of', source.id]), source },
        async (call) => {
          const links = await source.all(call);
          const ids = links.map((link) => valueAt(link, 'target', 'audienceId'));
          return audienceEntity.references(ids, (audienceId) => ({ pageId, audienceId }));
        },
        async ({ origin }) => {
          const page = await pageEntity.loader(context).load({ pageId }, origin);
          return page?.audiencesCount ?? null;
        },
      );
    },
  },
});

referenceField(audienceEntity.ref, 'page', pageEntity, {
  from: 'key',
  description: 'Page that the audience is a variant of.',
});

const PublishBehaviorRef = builder.enumType('PublishBehavior', {
  description: 'What happens to the first version of a new audience.',
  values: {
    draft: { description: 'The version stays a draft until `publishAudienceVersion` is called.' },
    publish: { description: 'The version is queued for publishing immediately.' },
  } satisfies Record<(typeof PUBLISH_BEHAVIORS)[number], object>,
});

const pageOfAudience = reference(pageEntity, {
  from: 'object',
  key: ({ object }: { readonly object: Audience | null }) => object && { pageId: object.pageId },
  description: 'Page of the audience after the write.',
});

writeField({
  name: 'createAudience',
  description: 'Creates an audience of a page, together with its first version.',
  route: routes.createAudience,
  returns: audienceEntity,
  input: {
    description: 'A new audience of a page.',
    fields: { publishBehavior: PublishBehaviorRef, metadataOverride: PageMetadataInputRef },
  },
  target: {
    field: 'pageId',
    entity: pageEntity,
    description: 'Raw ID (`pageId`) or global ID (`id`) of the page to add the audience to.',
  },
  edge: {
    type: AudienceConnectionRef,
    description:
      'Edge of the audience for `Page.audiences`. Its cursor is the start of the list, since the REST API does not return the position of the audience.',
    cursor: ({ pageId }, context) => startOfAudiences({ pageId }, context),
  },
  added: (t) => ({ page: t.field(pageOfAudience) }),
});

writeField({
  name: 'archiveAudience',
  description: 'Archives an audience.',
  route: routes.archiveAudience,
  returns: audienceEntity,
  input: { description: 'The audience to archive.' },
  target: { field: 'id', entity: audienceEntity },
  added: (t) => ({ page: t.field(pageOfAudience) }),
  readBack: ['status', 'archivedAt'],
});
