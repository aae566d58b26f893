/** What `/v0` answers about pages. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import type { CreatePageBody } from '../../v0/page.ts';
import { routes } from '../../v0/routes.ts';

/** A page; null when there is none. Source: GET /v0/pages/{page_id}. */
export const findPage = (rest: RestClient, pageId: string, call: CallOptions) =>
  rest.find(routes.getPage, { path: { page_id: pageId } }, call);

/** The best matches first. Source: GET /v0/pages/search. */
export const searchPages = (
  rest: RestClient,
  query: { query?: string; limit: number },
  call: CallOptions,
) => rest.call(routes.searchPages, { query }, call);

/** Creates a page; answers it. Source: POST /v0/pages. */
export const createPage = (rest: RestClient, body: CreatePageBody, call: CallOptions) =>
  rest.call(routes.createPage, { body }, call);

/** Brings an archived page back; answers it. Source: POST /v0/pages/{page_id}/restore. */
export const restorePage = (rest: RestClient, pageId: string, call: CallOptions) =>
  rest.call(routes.restorePage, { path: { page_id: pageId }, body: {} }, call);
