/** What `/v0` answers about versions of audiences. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import type { PublishVersionBody } from '../../v0/audience.ts';
import { routes } from '../../v0/routes.ts';
import type { AudienceKey } from '../audience/audience.source.ts';

export interface VersionKey extends AudienceKey {
  readonly versionId: string;
}

const parameters = ({ pageId, audienceId, versionId }: VersionKey) => ({
  page_id: pageId,
  audience_id: audienceId,
  version_id: versionId,
});

/**
 * A version; null when there is none.
 * Source: GET /v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}.
 */
export const findVersion = (rest: RestClient, key: VersionKey, call: CallOptions) =>
  rest.find(routes.getVersion, { path: parameters(key) }, call);

/**
 * Publishes a version; answers it as it is afterwards, usually queued.
 *
 * Source: POST /v0/pages/{page_id}/audiences/{audience_id}/versions/{version_id}/publish.
 */
export const publishVersion = (
  rest: RestClient,
  key: VersionKey,
  body: PublishVersionBody,
  call: CallOptions,
) => rest.call(routes.publishVersion, { path: parameters(key), body }, call);
