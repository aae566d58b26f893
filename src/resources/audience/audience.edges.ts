/**
 * Fields that lead to audiences, and from them to their page.
 *
 * Pages need not know their audiences: an edge lives with the child.
 */
import { connectionType } from '../../graph/connection/connection-type.ts';
import { connectionField, listDemand } from '../../graph/connection/list-field.ts';
import { readAll } from '../../graph/connection/list-walk.ts';
import { restList, wholePage, type List } from '../../graph/connection/list.ts';
import { NodeReference } from '../../graph/connection/node-page.ts';
import { cursorOf } from '../../graph/connection/page-request.ts';
import type { Context } from '../../graph/context.ts';
import { demandIn, type InDialects, type ListDemand } from '../../graph/entity/demand.ts';
import { lookupField, referenceField } from '../../graph/entity/reference-field.ts';
import { builder } from '../../graph/types/builder.ts';
import { routes } from '../../v0/routes.ts';
import { pageEntity, PageRef } from '../page/page.type.ts';
import { audienceEntity, AudienceRef } from './audience.type.ts';

builder.queryField('audience', (t) =>
  t.field(
    lookupField(
      audienceEntity,
      'Fetches an audience by its global id, or by its raw id and that of its page. Null when there is none.',
    ),
  ),
);

export const AudienceConnectionRef = connectionType(AudienceRef, audienceEntity);

const listed = listDemand({
  from: 'key',
  route: routes.listAudiences,
  items: audienceEntity,
  input: ({ pageId }: { pageId: string }) => ({ path: { page_id: pageId } }),
});

/**
 * Without the extended route: the distinct audiences that the page's links point to, by their keys.
 * Assumed: see docs/assumptions.md.
 */
const linked: ListDemand = {
  kind: 'list',
  from: 'key',
  route: routes.listPageLinks,
  walks: true,
  references: true,
  items: audienceEntity,
  shares: ['pageId'],
  list: (parent, _args, context) => linkedAudiences(context, (parent as { pageId: string }).pageId),
};

const audiences: InDialects<ListDemand> = {
  route: routes.listAudiences,
  extended: listed,
  document: linked,
};

/** The cursor that reads a page's audiences from the first on. */
export const startOfAudiences = (context: Context, pageId: string): string => {
  const { list } = demandIn(context.rest.dialect, audiences);
  return cursorOf(list({ pageId }, {}, context), { skip: 0, from: null });
};

builder.objectField(PageRef, 'audiences', (t) =>
  t.field(
    connectionField({
      type: AudienceConnectionRef,
      description: 'Paginated list of the audiences of the page, which are its variants.',
      demand: audiences,
    }),
  ),
);

builder.objectField(AudienceRef, 'page', (t) =>
  t.field(
    referenceField(pageEntity, {
      from: 'key',
      description: 'Page that the audience is a variant of.',
    }),
  ),
);

function linkedAudiences(context: Context, pageId: string): List<NodeReference> {
  const source = restList(context, routes.listPageLinks, { query: { pageId } });
  return {
    id: JSON.stringify(['audiences of', source.id]),
    source,
    fetch: async (_page, call) => {
      const links = await readAll(context, source, call);
      const ids = links.flatMap(({ target }) => target?.audienceId ?? []).filter(isText);
      const audiences = [...new Set(ids)].map(
        (audienceId) => new NodeReference({ pageId, audienceId }),
      );
      const load = () => pageEntity.loader(context).load({ pageId }, call.origin);
      return {
        ...wholePage(audiences),
        totalCount: async () => (await load())?.audiencesCount ?? null,
      };
    },
  };
}

/** An error stands for what the backend broke. */
const isText = (value: unknown) => typeof value === 'string';
