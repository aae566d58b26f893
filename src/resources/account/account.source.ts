/** What `/v0` answers about accounts. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import { routes } from '../../v0/routes.ts';

/** An account with its persons; null when there is none. Source: GET /v0/accounts/{account_id}. */
export const findAccountWithPersons = (rest: RestClient, accountId: string, call: CallOptions) =>
  rest.find(routes.getAccount, { path: { account_id: accountId } }, call);
