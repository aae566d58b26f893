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
      pageType: PageTypeRef,
      actions: { type: ActionInput, default: [] },
      actionCardWidgets: { type: ActionCardWidgetInput, default: [] },
      scripts: { type: ScriptInput, default: [] },
      footerLinks: FooterLinkGroupInput,
      metadata: PageMetadataInputRef,
    },
  },
  rename: {
    // REST has one name, `id`, for the ids of footer links and of their groups.
    toBody: ({ footerLinks, ...fields }) => {
      // Typed by their inputs.
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
  input: { description: 'The page to restore.' },
  target: { field: 'id', entity: pageEntity },
  readBack: ['status', 'archivedAt', 'deletedAt', 'updatedAt'],
});
