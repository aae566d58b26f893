/** `createPage` and `restorePage`. */
import { writeField } from '../../graph/fields/mutation.ts';
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

writeField({
  name: 'createPage',
  description: 'Creates a page.',
  route: routes.createPage,
  answers,
  input: {
    description: 'A new page.',
    fields: {
      brandId: 'Raw id of the brand of the page.',
      name: 'Internal name. Must not be empty.',
      pageContext: 'Context that describes what the page is about. Must not be empty.',
      pageType: { type: PageTypeRef, description: 'Purpose of the page.' },
      actions: {
        type: ActionInput,
        default: [],
        description: 'Calls to action that visitors can choose from, in display order.',
      },
      actionCardWidgets: {
        type: ActionCardWidgetInput,
        default: [],
        description: 'Cards shown beside the actions, in display order.',
      },
      scripts: { type: ScriptInput, default: [], description: 'Scripts to embed in the page.' },
      footerLinks: {
        type: FooterLinkGroupInput,
        description: 'Groups of links in the footer, in display order.',
      },
      headerActionId: 'Raw id of the action shown in the page header.',
      metadata: {
        type: PageMetadataInputRef,
        description: 'Metadata for search engines and link previews.',
      },
    },
  },
  rename: {
    // REST has one name, `id`, for the ids of footer links and of their groups.
    toBody: ({ footerLinks, ...fields }) => {
      // As their inputs declare them.
      const given = footerLinks as readonly FooterLinkGroupFields[] | undefined;
      const groups = given?.map(({ groupId, links, ...group }) => ({
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

interface FooterLinkGroupFields {
  readonly groupId?: string;
  readonly links?: readonly { readonly linkId?: string }[];
}

writeField({
  name: 'restorePage',
  description: 'Restores an archived page.',
  route: routes.restorePage,
  answers,
  input: { description: 'The page to restore.', fields: {} },
  target: { field: 'id', entity: pageEntity },
  readBack: ['status', 'archivedAt', 'deletedAt', 'updatedAt'],
});
