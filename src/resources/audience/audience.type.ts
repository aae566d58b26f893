/**
 * Audiences as the graph shows them.
 *
 * Source: interface.md, "Audience". Versions may be null: one never published has none.
 */
import { builder } from '../../graph/types/builder.ts';
import { nodeType } from '../../graph/types/node-type.ts';
import { AUDIENCE_STATUSES } from '../../v0/audience.ts';
import { PageMetadataRef } from '../page/page-metadata.type.ts';
import { audienceEntity } from './audience.entity.ts';

export const AudienceStatusRef = builder.enumType('AudienceStatus', {
  description: 'Where an audience or one of its versions stands on the way to being published.',
  values: AUDIENCE_STATUSES,
});

nodeType(audienceEntity, {
  description: 'An audience: a variant of a page, made for somebody.',
  fields: (t) => ({
    audienceId: t.exposeID('audienceId', { description: 'The id REST knows this audience by.' }),
    pageId: t.exposeID('pageId', { description: 'Its page, by its REST id.' }),
    computedName: t.exposeString('computedName', { description: 'The name the service gave it.' }),
    customName: t.exposeString('customName', {
      nullable: true,
      description: 'The name a person gave it.',
    }),
    effectiveName: t.exposeString('effectiveName', {
      description: 'The name to show: the custom one, or else the computed one.',
    }),
    isNewPageAgent: t.exposeBoolean('isNewPageAgent', {
      description: 'Whether the new page agent serves it.',
    }),
    personId: t.exposeID('personId', {
      nullable: true,
      description: 'The person it is made for, by its REST id.',
    }),
    personRouteKey: t.exposeString('personRouteKey', {
      nullable: true,
      description: 'What stands for the person in addresses.',
    }),
    status: t.expose('status', {
      type: AudienceStatusRef,
      nullable: true,
      description:
        'Where it stands. Null with an error when the backend names a status unknown here.',
    }),
    supplementaryContext: t.exposeString('supplementaryContext', {
      nullable: true,
      description: 'What is to be known beside the page’s own context.',
    }),
    actionFormIdOverride: t.exposeID('actionFormIdOverride', {
      nullable: true,
      description: 'The form used instead of the page’s, by its REST id.',
    }),
    actionFormInstructionsOverride: t.exposeString('actionFormInstructionsOverride', {
      nullable: true,
      description: 'Instructions for the form instead of the page’s.',
    }),
    actionUrlOverride: t.exposeString('actionUrlOverride', {
      nullable: true,
      description: 'The URL to open when the action is triggered, instead of the page’s.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was archived; null while it is not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    effectiveMetadata: t.expose('effectiveMetadata', {
      type: PageMetadataRef,
      nullable: true,
      description: 'The page’s metadata with this audience’s own laid over it.',
    }),
    metadataOverride: t.expose('metadataOverride', {
      type: PageMetadataRef,
      nullable: true,
      description: 'Metadata of this audience’s own.',
    }),
  }),
});
