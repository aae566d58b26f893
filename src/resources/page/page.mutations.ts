/** `createPage` and `restorePage`. */
import { writeField } from '../../graph/mutation/mutation.ts';
import { builder } from '../../graph/types/builder.ts';
import { routes } from '../../v0/routes.ts';
import {
  ActionCardWidgetInput,
  ActionInput,
  FooterLinkGroupInput,
  PageMetadataInputRef,
  ScriptInput,
} from './page.inputs.ts';
import { pageEntity, PageTypeRef } from './page.type.ts';

const answers = { field: 'page', entity: pageEntity };

const CreatePageInput = builder.inputType('CreatePageInput', {
  description: 'A new page.',
  fields: (t) => ({
    brandId: t.id({ required: true, description: 'Raw id of the brand of the page.' }),
    name: t.string({ required: true, description: 'Internal name. Must not be empty.' }),
    pageContext: t.string({
      required: true,
      description: 'Context that describes what the page is about. Must not be empty.',
    }),
    pageType: t.field({
      type: PageTypeRef,
      defaultValue: 'inbound',
      description: 'Purpose of the page.',
    }),
    actions: t.field({
      type: [ActionInput],
      required: true,
      description: 'Calls to action that visitors can choose from, in display order.',
    }),
    actionCardWidgets: t.field({
      type: [ActionCardWidgetInput],
      required: true,
      description: 'Cards shown beside the actions, in display order.',
    }),
    scripts: t.field({
      type: [ScriptInput],
      required: true,
      description: 'Scripts to embed in the page.',
    }),
    footerLinks: t.field({
      type: [FooterLinkGroupInput],
      description: 'Groups of links in the footer, in display order.',
    }),
    headerActionId: t.id({ description: 'Raw id of the action shown in the page header.' }),
    metadata: t.field({
      type: PageMetadataInputRef,
      description: 'Metadata for search engines and link previews.',
    }),
  }),
});

writeField({
  name: 'createPage',
  description: 'Creates a page.',
  route: routes.createPage,
  answers,
  input: CreatePageInput,
  rename: {
    // REST has one name, `id`, for the ids of footer links and of their groups.
    toBody: ({ footerLinks, ...fields }) => {
      const groups = footerLinks?.map(({ groupId, links, ...group }) => ({
        ...(groupId !== undefined && { id: groupId }),
        ...group,
        ...(links && {
          links: links.map(({ linkId, ...link }) => ({
            ...(linkId !== undefined && { id: linkId }),
            ...link,
          })),
        }),
      }));
      return { ...fields, ...(groups && { footerLinks: groups }) };
    },
    toField: (path) =>
      path[0] === 'footerLinks' && path.at(-1) === 'id'
        ? [...path.slice(0, -1), path.length > 3 ? 'linkId' : 'groupId']
        : path,
  },
});

const RestorePageInput = builder.inputType('RestorePageInput', {
  description: 'The page to restore.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the page.' }) }),
});

writeField({
  name: 'restorePage',
  description: 'Restores an archived page.',
  route: routes.restorePage,
  answers,
  input: RestorePageInput,
  target: { field: 'id', entity: pageEntity },
  readBack: ['status', 'archivedAt', 'deletedAt', 'updatedAt'],
});
