/**
 * The GraphQL type of audiences.
 *
 * Source: interface.md, "Audience". Versions may be null: one never published has none.
 */
import { nullOnlyWithError } from '../../graph/types/semantic-non-null.ts';
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import type { AUDIENCE_STATUSES } from '../../v0/audience.ts';
import { PageMetadataRef } from '../page/page-metadata.type.ts';
import { audienceEntity } from './audience.entity.ts';

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

nodeType(audienceEntity, {
  description: 'An audience: a variant of a page, for one person or for a group of visitors.',
  fields: (t) => ({
    audienceId: t.exposeID('audienceId', {
      description: 'Raw id of this audience in the REST API.',
    }),
    pageId: t.exposeID('pageId', { description: 'Raw id of the page of this audience.' }),
    computedName: t.exposeString('computedName', {
      description: 'Name that the backend computes. Shown when there is no `customName`.',
    }),
    customName: t.exposeString('customName', {
      nullable: true,
      description: 'Name that a user gave. Null when none was given.',
    }),
    effectiveName: t.exposeString('effectiveName', {
      description: 'Name to display: `customName`, or `computedName` when that is null.',
    }),
    isNewPageAgent: t.exposeBoolean('isNewPageAgent', {
      description: 'Whether the new page agent serves this audience.',
    }),
    personId: t.exposeID('personId', {
      nullable: true,
      description:
        'Raw id of the person the audience is made for. Null when it is not made for one person.',
    }),
    personRouteKey: t.exposeString('personRouteKey', {
      nullable: true,
      description: 'Key that identifies the person in URL paths. Null without a person.',
    }),
    status: t.expose('status', {
      type: AudienceStatusRef,
      nullable: true,
      extensions: nullOnlyWithError(),
      description:
        'Publishing status. Null with an error when the backend answers a status that this schema does not have.',
    }),
    supplementaryContext: t.exposeString('supplementaryContext', {
      nullable: true,
      description: 'Context in addition to `Page.pageContext`. Null when there is none.',
    }),
    actionFormIdOverride: t.exposeID('actionFormIdOverride', {
      nullable: true,
      description:
        'Raw id of the form that replaces the form of the page. Null when it is not replaced.',
    }),
    actionFormInstructionsOverride: t.exposeString('actionFormInstructionsOverride', {
      nullable: true,
      description:
        'Form instructions that replace those of the page. Null when they are not replaced.',
    }),
    actionUrlOverride: t.exposeString('actionUrlOverride', {
      nullable: true,
      description:
        'URL that the action opens instead of the URL of the page. Null when it is not replaced.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of archiving. Null if not archived.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    effectiveMetadata: t.expose('effectiveMetadata', {
      type: PageMetadataRef,
      nullable: true,
      description:
        'Metadata in effect: that of the page with `metadataOverride` applied. Null when there is none. No call of its own.',
    }),
    metadataOverride: t.expose('metadataOverride', {
      type: PageMetadataRef,
      nullable: true,
      description:
        'Metadata that overrides that of the page, field by field. Null when nothing is overridden. No call of its own.',
    }),
  }),
});
