/**
 * The type of audiences. Their latest and published versions come with them.
 *
 * Source: interface.md, "Audience". Versions may be null: one never published has none.
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { Audience, type AUDIENCE_STATUSES } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { PageMetadataRef } from '../page/page-metadata.type.ts';

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
