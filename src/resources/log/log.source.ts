/** What `/v0` answers about single logs. */
import type { CallOptions, RestClient } from '../../rest/client/client.ts';
import { routes } from '../../v0/routes.ts';

/**
 * A log of a person; null when there is none.
 * Source: GET /v0/persons/{person_id}/logs/{person_log_id}.
 */
export const findPersonLog = (
  rest: RestClient,
  { personId, personLogId }: Readonly<Record<'personId' | 'personLogId', string>>,
  call: CallOptions,
) =>
  rest.find(
    routes.getPersonLog,
    { path: { person_id: personId, person_log_id: personLogId } },
    call,
  );

/**
 * A log of an account; null when there is none.
 * Source: GET /v0/accounts/{account_id}/logs/{account_log_id}.
 */
export const findAccountLog = (
  rest: RestClient,
  { accountId, accountLogId }: Readonly<Record<'accountId' | 'accountLogId', string>>,
  call: CallOptions,
) =>
  rest.find(
    routes.getAccountLog,
    { path: { account_id: accountId, account_log_id: accountLogId } },
    call,
  );
