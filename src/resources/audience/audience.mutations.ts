/** `createAudience` and `archiveAudience`. */
import { builder } from '../../graph/types/builder.ts';
import { checkBody, writeField } from '../../graph/mutation/mutation.ts';
import { CreateAudienceBody, PUBLISH_BEHAVIORS } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from '../page/page.entity.ts';
import { PageMetadataInputRef } from '../page/page.inputs.ts';
import { audienceEntity, withVersions } from './audience.entity.ts';
import { archiveAudience, createAudience } from './audience.source.ts';

const PublishBehaviorRef = builder.enumType('PublishBehavior', {
  description: 'Whether a new audience is published at once.',
  values: PUBLISH_BEHAVIORS,
});

const CreateAudienceInput = builder.inputType('CreateAudienceInput', {
  description: 'The audience to create.',
  fields: (t) => ({
    pageId: t.id({ required: true, description: 'The page it is a variant of, by its REST id.' }),
    publishBehavior: t.field({
      type: PublishBehaviorRef,
      defaultValue: 'publish',
      description: 'Whether its first version stays a draft or is published at once.',
    }),
    actionFormIdOverride: t.id({ description: 'The form instead of the page’s, by its REST id.' }),
    actionFormInstructionsOverride: t.string({
      description: 'Instructions for the form instead of the page’s.',
    }),
    actionUrlOverride: t.string({
      description: 'The URL to open when the action is triggered: an absolute URI.',
    }),
    customName: t.string({ description: 'A name, not empty.' }),
    metadataOverride: t.field({
      type: PageMetadataInputRef,
      description: 'Metadata of this audience’s own.',
    }),
    supplementaryContext: t.string({
      description: 'What is to be known beside the page’s context, not empty.',
    }),
  }),
});

writeField({
  name: 'createAudience',
  description: 'Creates an audience of a page, with its first version.',
  route: routes.createAudience,
  answers: { field: 'audience', entity: audienceEntity },
  input: CreateAudienceInput,
  prepare: ({ pageId, ...input }) => {
    const page = pageEntity.checkKey({ pageId: String(pageId) });
    const body = checkBody(CreateAudienceBody, input);
    return async ({ rest }, call) =>
      withVersions(await createAudience(rest, page.pageId, body, call));
  },
});

const ArchiveAudienceInput = builder.inputType('ArchiveAudienceInput', {
  description: 'The audience to archive.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The global id of the audience.' }) }),
});

writeField({
  name: 'archiveAudience',
  description: 'Archives an audience.',
  route: routes.archiveAudience,
  answers: { field: 'audience', entity: audienceEntity },
  input: ArchiveAudienceInput,
  prepare: ({ id }) => {
    const key = audienceEntity.parseId(String(id));
    return async ({ rest }, call) => withVersions(await archiveAudience(rest, key, call));
  },
  readBack: {
    key: ({ id }) => audienceEntity.parseId(String(id)),
    tells: ['status', 'archivedAt'],
  },
});
