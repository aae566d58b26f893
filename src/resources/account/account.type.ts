/**
 * The type of accounts.
 *
 * Source: interface.md, "Account". `name` and `latestActivityAt` may be null.
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { Account } from '../../v0/schemas/account.ts';
import { routes } from '../../v0/routes.ts';
import { accountList } from './account.list.ts';
import { findAccount } from './account.loader.ts';

export const accountEntity = new Entity({
  ref: builder.objectRef<Account>('Account'),
  key: ['accountId'],
  route: routes.getAccount,
  find: findAccount,
  searched: accountList,
  alternateKeys: [['domain']],
});

restType(accountEntity, Account, {
  description: 'An account: an organisation, identified by its domain.',
});
