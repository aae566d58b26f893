/**
 * Loaders of accounts by key, with their persons, and by domain.
 */
import { isSameId } from '../../lib/same-id.ts';
import { perRequest, type Context } from '../../graph/context.ts';
import { Loader } from '../../graph/loading/loader.ts';
import { Search } from '../../graph/loading/search.ts';
import { unsupported } from '../../graph/errors.ts';
import type { CallOptions } from '../../rest/client/client.ts';
import { readBy } from '../../rest/client/route-capabilities.ts';
import type { Account, AccountWithPersons } from '../../v0/schemas/account.ts';
import { MAX_LIMIT } from '../../v0/list.ts';
import { routes } from '../../v0/routes.ts';
import { accountList, knowAccount, knownAccount } from './account.list.ts';

export type AccountKey = Pick<Account, 'accountId'>;

/**
 * Maximum number of searched pages of 100 hits per domain. The search matches parts of domains, so a short domain can
 * have many other hits.
 */
const MAX_DOMAIN_PAGES = 10;

/** Accounts with their persons: one call serves an account's own fields and its persons. */
export const accountWithPersonsLoader = perRequest(
  ({ rest }) =>
    new Loader<AccountKey, AccountWithPersons | null>(({ accountId }, call) =>
      rest.find(routes.getAccount, { path: { account_id: accountId } }, call),
    ),
);

/** Returns an account by its id; null if it does not exist. */
export const findAccount = (
  context: Context,
  key: AccountKey,
  call: CallOptions,
): Promise<Account | null> =>
  readBy(
    routes.getAccount,
    context.rest.capabilities,
    () => readAccount(context, key, call),
    () => searchAccount(context, key, call),
  );

/** Source: GET /v0/accounts/{account_id}. */
async function readAccount(
  context: Context,
  key: AccountKey,
  call: CallOptions,
): Promise<Account | null> {
  const account = await accountWithPersonsLoader(context).loadFor(key, call);
  return account && knowAccount(context, withCount(account));
}

/** Searches all accounts. Source: GET /v0/accounts. Assumed: see docs/assumptions.md. */
async function searchAccount(
  context: Context,
  { accountId }: AccountKey,
  call: CallOptions,
): Promise<Account | null> {
  const search = new Search<Account>('accountId', (id) => isSameId(id, accountId));
  for await (const { items } of accountList(context).pages(call)) {
    const found = search.find(items);
    if (found) return found;
  }
  return search.end();
}

/** Accounts by exact domain; null if there is none. */
export const accountByDomainLoader = perRequest(
  (context) =>
    new Loader<Pick<Account, 'domain'>, Account | null>(({ domain }, call) =>
      searchDomain(context, domain, call),
    ),
);

/**
 * Returns the account with exactly this domain; null if there is none. Free if this request has received it already.
 *
 * Source: GET /v0/accounts/search.
 * @throws UPSTREAM_UNSUPPORTED if the search has too many hits.
 */
export const findAccountByDomain = async (
  context: Context,
  domain: string,
  origin: unknown,
): Promise<Account | null> =>
  knownAccount(context, domain) ?? (await accountByDomainLoader(context).load({ domain }, origin));

async function searchDomain(
  context: Context,
  domain: string,
  call: CallOptions,
): Promise<Account | null> {
  const search = new Search<Account>('domain', (value) => value === domain);
  let pages = 0;
  for await (const { items } of accountList(context, { query: domain }).pages(call)) {
    const found = search.find(items);
    if (found) return found;
    pages += 1;
    if (pages > MAX_DOMAIN_PAGES) {
      throw unsupported(
        `More than ${MAX_DOMAIN_PAGES * MAX_LIMIT} accounts match the domain "${domain.slice(0, 64)}". Find the account with \`accounts(query:)\` instead.`,
      );
    }
  }
  return search.end();
}

function withCount({ linkedPersons, ...account }: AccountWithPersons): Account {
  const count: unknown = linkedPersons instanceof Error ? linkedPersons : linkedPersons.length;
  return { ...account, linkedPersonsCount: count as number }; // errors stay in place
}
