/** `createAudience` and `archiveAudience`. */
import { referenceField } from '../../graph/fields/reference-field.ts';
import { writeField } from '../../graph/fields/mutation.ts';
import { builder } from '../../graph/schema/builder.ts';
import type { Audience, PUBLISH_BEHAVIORS } from '../../v0/schemas/audience.ts';
import { routes } from '../../v0/routes.ts';
import { PageMetadataInputRef } from '../page/page.inputs.ts';
import { pageEntity } from '../page/page.type.ts';
import { AudienceConnectionRef, audiencesOfPage } from './audience.edges.ts';
import { audienceEntity } from './audience.type.ts';

const PublishBehaviorRef = builder.enumType('PublishBehavior', {
  description: 'What happens to the first version of a new audience.',
  values: {
    draft: { description: 'The version stays a draft until `publishAudienceVersion` is called.' },
    publish: { description: 'The version is queued for publishing immediately.' },
  } satisfies Record<(typeof PUBLISH_BEHAVIORS)[number], object>,
});

const pageOfAudience = referenceField(pageEntity, {
  from: 'object',
  key: ({ object }: { readonly object: Audience | null }) => object && { pageId: object.pageId },
  description: 'Page of the audience after the write.',
});

writeField({
  name: 'createAudience',
  description: 'Creates an audience of a page, together with its first version.',
  route: routes.createAudience,
  answers: { field: 'audience', entity: audienceEntity },
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
    field: 'audienceEdge',
    type: AudienceConnectionRef,
    description:
      'Edge of the audience for `Page.audiences`. Its cursor is the start of the list, since the REST API does not return the position of the audience.',
    cursor: (audience, context) => audiencesOfPage.startCursor(audience, context),
  },
  beside: (t) => ({ page: t.field(pageOfAudience) }),
});

writeField({
  name: 'archiveAudience',
  description: 'Archives an audience.',
  route: routes.archiveAudience,
  answers: { field: 'audience', entity: audienceEntity },
  input: { description: 'The audience to archive.' },
  target: { field: 'id', entity: audienceEntity },
  beside: (t) => ({ page: t.field(pageOfAudience) }),
  readBack: ['status', 'archivedAt'],
});
