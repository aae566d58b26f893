/** The account, and how one is read by its key. */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Account } from '../../v0/account.ts';
import { routes } from '../../v0/routes.ts';
import { accountList } from './account.list.ts';
import { findAccount } from './account.loader.ts';

export const AccountRef = builder.objectRef<Account>('Account');

export const accountEntity = new Entity({
  ref: AccountRef,
  key: ['accountId'],
  route: routes.getAccount,
  find: findAccount,
  searched: accountList,
  alternateKeys: [['domain']],
});
