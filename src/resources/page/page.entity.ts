/** The page, and the route that reads one by its key. */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Page } from '../../v0/page.ts';
import { routes } from '../../v0/routes.ts';

export const PageRef = builder.objectRef<Page>('Page');

export const pageEntity = new Entity({
  ref: PageRef,
  key: ['pageId'],
  route: routes.getPage,
});
