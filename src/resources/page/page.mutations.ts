/** `createPage` and `restorePage`. */
import { builder } from '../../graph/types/builder.ts';
import { checkBody, writeField } from '../../graph/mutation/mutation.ts';
import { CreatePageBody } from '../../v0/page.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity } from './page.entity.ts';
import {
  ActionCardWidgetInput,
  ActionInput,
  FooterLinkGroupInput,
  PageMetadataInputRef,
  ScriptInput,
} from './page.inputs.ts';
import { createPage, restorePage } from './page.source.ts';
import { PageTypeRef } from './page.type.ts';

const answers = { field: 'page', entity: pageEntity };

const CreatePageInput = builder.inputType('CreatePageInput', {
  description: 'The page to create.',
  fields: (t) => ({
    brandId: t.id({ required: true, description: 'The brand it belongs to, by its REST id.' }),
    name: t.string({ required: true, description: 'Its name, not empty.' }),
    pageContext: t.string({ required: true, description: 'What it is about, not empty.' }),
    pageType: t.field({
      type: PageTypeRef,
      defaultValue: 'inbound',
      description: 'What it is for.',
    }),
    actions: t.field({ type: [ActionInput], required: true, description: 'What visitors can do.' }),
    actionCardWidgets: t.field({
      type: [ActionCardWidgetInput],
      required: true,
      description: 'Cards beside the actions.',
    }),
    scripts: t.field({
      type: [ScriptInput],
      required: true,
      description: 'Scripts that run on it.',
    }),
    footerLinks: t.field({ type: [FooterLinkGroupInput], description: 'Groups of footer links.' }),
    headerActionId: t.id({ description: 'The action in its header, by its REST id.' }),
    metadata: t.field({ type: PageMetadataInputRef, description: 'What search engines are told.' }),
  }),
});

/** REST has the same name for the ids of footer links and of their groups. */
const fieldOf = (path: readonly string[]): readonly string[] =>
  path[0] === 'footerLinks' && path.at(-1) === 'id'
    ? [...path.slice(0, -1), path.length > 3 ? 'linkId' : 'groupId']
    : path;

writeField({
  name: 'createPage',
  description: 'Creates a page.',
  route: routes.createPage,
  answers,
  input: CreatePageInput,
  fieldOf,
  prepare: ({ footerLinks, ...input }) => {
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
    const written = { ...input, ...(groups && { footerLinks: groups }) };
    const body = checkBody(CreatePageBody, written, fieldOf);
    return ({ rest }, call) => createPage(rest, body, call);
  },
});

const RestorePageInput = builder.inputType('RestorePageInput', {
  description: 'The page to bring back.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The global id of the page.' }) }),
});

writeField({
  name: 'restorePage',
  description: 'Brings an archived page back.',
  route: routes.restorePage,
  answers,
  input: RestorePageInput,
  prepare: ({ id }) => {
    const { pageId } = pageEntity.parseId(String(id));
    return ({ rest }, call) => restorePage(rest, pageId, call);
  },
  readBack: {
    key: ({ id }) => pageEntity.parseId(String(id)),
    tells: ['status', 'archivedAt', 'deletedAt', 'updatedAt'],
  },
});
