/** What `/v0` answers about audiences. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import type { CreateAudienceBody } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';

export interface AudienceKey {
  readonly pageId: string;
  readonly audienceId: string;
}

const parameters = ({ pageId, audienceId }: AudienceKey) => ({
  page_id: pageId,
  audience_id: audienceId,
});

/** An audience; null when there is none. Source: GET /v0/pages/{page_id}/audiences/{audience_id}. */
export const findAudience = (rest: RestClient, key: AudienceKey, call: CallOptions) =>
  rest.find(routes.getAudience, { path: parameters(key) }, call);

/** Creates an audience with its first version. Source: POST /v0/pages/{page_id}/audiences. */
export const createAudience = (
  rest: RestClient,
  pageId: string,
  body: CreateAudienceBody,
  call: CallOptions,
) => rest.call(routes.createAudience, { path: { page_id: pageId }, body }, call);

/** Archives an audience; answers it. Source: DELETE /v0/pages/{page_id}/audiences/{audience_id}. */
export const archiveAudience = (rest: RestClient, key: AudienceKey, call: CallOptions) =>
  rest.call(routes.archiveAudience, { path: parameters(key) }, call);
