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

export const AudienceRef = builder.objectRef<Audience>('Audience');

export const audienceEntity = new Entity({
  ref: AudienceRef,
  key: ['pageId', 'audienceId'],
  route: routes.getAudience,
});

export const AudienceStatusRef = builder.enumType('AudienceStatus', {
  description: 'Publishing status of an audience or of one of its versions.',
  values: {
    archived: { description: 'Archived: no longer in use.' },
    cancelled: { description: 'Publishing was cancelled before it was complete.' },
    draft: { description: 'Not yet submitted for publishing.' },
    pending: {
      description:
        'Waiting for the backend. The REST API does not document how this differs from `queued`.',
    },
    processing: { description: 'Being published at this moment.' },
    published: { description: 'Published: visible to visitors.' },
    queued: { description: 'Submitted for publishing and waiting in the queue.' },
  } satisfies Record<(typeof AUDIENCE_STATUSES)[number], object>,
});

restType(audienceEntity, Audience, {
  description: 'An audience: a variant of a page, for one person or for a group of visitors.',
  fields: {
    audienceId: 'Raw id of this audience in the REST API.',
    pageId: 'Raw id of the page of this audience.',
    computedName: 'Name that the backend computes. Shown when there is no `customName`.',
    customName: 'Name that a user gave. Null when none was given.',
    effectiveName: 'Name to display: `customName`, or `computedName` when that is null.',
    isNewPageAgent: 'Whether the new page agent serves this audience.',
    personId:
      'Raw id of the person the audience is made for. Null when it is not made for one person.',
    personRouteKey: 'Key that identifies the person in URL paths. Null without a person.',
    status: {
      type: AudienceStatusRef,
      description:
        'Publishing status. Null with an error when the backend answers a status that this schema does not have.',
    },
    supplementaryContext: 'Context in addition to `Page.pageContext`. Null when there is none.',
    actionFormIdOverride:
      'Raw id of the form that replaces the form of the page. Null when it is not replaced.',
    actionFormInstructionsOverride:
      'Form instructions that replace those of the page. Null when they are not replaced.',
    actionUrlOverride:
      'URL that the action opens instead of the URL of the page. Null when it is not replaced.',
    archivedAt: 'Time of archiving. Null if not archived.',
    createdAt: 'Time of creation.',
    effectiveMetadata: {
      type: PageMetadataRef,
      description:
        'Metadata in effect: that of the page with `metadataOverride` applied. Null when there is none. No call of its own.',
    },
    metadataOverride: {
      type: PageMetadataRef,
      description:
        'Metadata that overrides that of the page, field by field. Null when nothing is overridden. No call of its own.',
    },
  },
});
