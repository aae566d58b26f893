/** Accounts. Source: interface.md, "Account". `name` and `latestActivityAt` may be null. */
import { type Context, perRequest } from '../graph/context.ts';
import { Entity } from '../graph/entity/entity.ts';
import { unsupported } from '../graph/errors.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { lookupField } from '../graph/fields/reference-field.ts';
import { List } from '../graph/loading/list.ts';
import { Loader } from '../graph/loading/loader.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { isSameId } from '../lib/same-id.ts';
import { readBy } from '../rest/client/route-capabilities.ts';
import { MAX_LIMIT } from '../v0/list.ts';
import { routes } from '../v0/routes.ts';
import { Account, type AccountWithPersons } from '../v0/schemas/account.ts';

interface AccountFilters {
  readonly query?: string | null | undefined;
  readonly includeEmptyOnly?: boolean | null | undefined;
}

/** All accounts, or those that match a search string. Source: GET /v0/accounts, GET /v0/accounts/search. */
const accountList = (
  context: Context,
  { query, includeEmptyOnly }: AccountFilters = {},
): List<Account> => {
  const route = typeof query === 'string' ? routes.searchAccounts : routes.listAccounts;
  const input = { query: { query, includeEmptyOnly } };
  return List.of(context, route, input).map((account) => knowAccount(context, account));
};

/** Records an account by its domain, and returns it. */
function knowAccount(context: Context, account: Account): Account {
  accountByDomainLoader(context).prime(account, account);
  return account;
}

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

/**
 * Accounts by exact domain; null if there is none. Those that the request has received are free. Fails with
 * UPSTREAM_UNSUPPORTED if the search has too many hits.
 *
 * Source: GET /v0/accounts/search.
 */
export const accountByDomainLoader = perRequest(
  (context) =>
    new Loader<Pick<Account, 'domain'>, Account | null>(
      ({ domain }, call) => {
        let pages = 0;
        const list = accountList(context, { query: domain });
        const isWanted = (value: unknown): boolean => value === domain;
        return list.find(call, 'domain', isWanted, () => {
          pages += 1;
          if (pages <= MAX_DOMAIN_PAGES) return;
          throw unsupported(
            `More than ${MAX_DOMAIN_PAGES * MAX_LIMIT} accounts match the domain "${domain.slice(0, 64)}". Find the account with \`accounts(query:)\` instead.`,
          );
        });
      },
      { idOf: ({ domain }) => domain },
    ),
);

function withCount({ linkedPersons, ...account }: AccountWithPersons): Account {
  const count: unknown = linkedPersons instanceof Error ? linkedPersons : linkedPersons.length;
  return { ...account, linkedPersonsCount: count as number }; // errors stay in place
}

export const accountEntity = new Entity({
  ref: builder.objectRef<Account>('Account'),
  key: ['accountId'],
  route: routes.getAccount,
  find: (context, key, call) =>
    readBy(
      routes.getAccount,
      context.rest.capabilities,
      async () => {
        const account = await accountWithPersonsLoader(context).loadFor(key, call);
        return account && knowAccount(context, withCount(account));
      },
      // Assumed: see docs/assumptions.md.
      () => accountList(context).find(call, 'accountId', (id) => isSameId(id, key.accountId)),
    ),
  searched: accountList,
  alternateKeys: [['domain']],
});

restType(accountEntity, Account, {
  description: 'An account: an organisation, identified by its domain.',
});

lookupField(accountEntity);

listField('Query', 'accounts', {
  type: connectionType(accountEntity.ref),
  description: `Paginated list of accounts, or with \`query\` of matching accounts, read from \`GET ${routes.searchAccounts.path}\`.`,
  args: (t) => ({
    query: t.string({
      description:
        'Search terms, matched against names and domains. If omitted, all accounts are listed.',
    }),
    includeEmptyOnly: t.boolean({
      description:
        'Whether to list only accounts without persons. If omitted, the backend decides.',
    }),
  }),
  // Uses one of two routes, depending on whether there is a search string.
  route: routes.listAccounts,
  items: accountEntity,
  list: (_query, args, context) => accountList(context, args),
});
