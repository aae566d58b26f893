/** What `/v0` answers about persons. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import { routes } from '../../v0/routes.ts';

/** A person; null when there is none. Source: GET /v0/persons/{person_id}. */
export const findPerson = (rest: RestClient, personId: string, call: CallOptions) =>
  rest.find(routes.getPerson, { path: { person_id: personId } }, call);
