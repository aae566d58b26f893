/**
 * The lists of accounts, and which accounts a request has come to know through them.
 *
 * A person names its account by domain only, and no route finds an account by domain exactly. Every
 * account that arrives is therefore noted here, so that most persons find theirs without a call.
 */
import { perRequest, type Context } from '../../graph/context.ts';
import { List } from '../../graph/loading/list.ts';
import type { Account } from '../../v0/schemas/account.ts';
import { routes } from '../../v0/routes.ts';

interface AccountFilters {
  readonly query?: string | null | undefined;
  readonly includeEmptyOnly?: boolean | null | undefined;
}

/** All accounts, or with words to look for, those that a search finds. Source: GET /v0/accounts, GET /v0/accounts/search. */
export const accountList = (
  context: Context,
  { query, includeEmptyOnly }: AccountFilters = {},
): List<Account> => {
  const route = typeof query === 'string' ? routes.searchAccounts : routes.listAccounts;
  const input = { query: { query, includeEmptyOnly } };
  return List.of(context, route, input).map((account) => knowAccount(context, account));
};

const accountsByDomain = perRequest(() => new Map<string, Account>());

/** Notes an account's domain, and answers the account. */
export function knowAccount(context: Context, account: Account): Account {
  const known = accountsByDomain(context);
  if (!known.has(account.domain)) known.set(account.domain, account);
  return account;
}

/** An account that this request has seen already, by its exact domain. */
export const knownAccount = (context: Context, domain: string): Account | undefined =>
  accountsByDomain(context).get(domain);
