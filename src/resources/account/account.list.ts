/**
 * Lists of accounts, and the accounts that a request has received by domain.
 *
 * A person refers to its account by domain only, and no route finds an account by exact domain. Received accounts are
 * recorded here, so most persons find theirs without a call.
 */
import { perRequest, type Context } from '../../graph/context.ts';
import { List } from '../../graph/loading/list.ts';
import type { Account } from '../../v0/schemas/account.ts';
import { routes } from '../../v0/routes.ts';

interface AccountFilters {
  readonly query?: string | null | undefined;
  readonly includeEmptyOnly?: boolean | null | undefined;
}

/** All accounts, or those that match a search text. Source: GET /v0/accounts, GET /v0/accounts/search. */
export const accountList = (
  context: Context,
  { query, includeEmptyOnly }: AccountFilters = {},
): List<Account> => {
  const route = typeof query === 'string' ? routes.searchAccounts : routes.listAccounts;
  const input = { query: { query, includeEmptyOnly } };
  return List.of(context, route, input).map((account) => knowAccount(context, account));
};

const accountsByDomain = perRequest(() => new Map<string, Account>());

/** Records an account by its domain, and returns it. */
export function knowAccount(context: Context, account: Account): Account {
  const known = accountsByDomain(context);
  if (!known.has(account.domain)) known.set(account.domain, account);
  return account;
}

/** Returns a recorded account by its exact domain. */
export const knownAccount = (context: Context, domain: string): Account | undefined =>
  accountsByDomain(context).get(domain);
