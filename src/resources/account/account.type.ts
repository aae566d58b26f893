/**
 * The GraphQL type of accounts.
 *
 * Source: interface.md, "Account". `name` and `latestActivityAt` may be null.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { Account } from '../../v0/account.ts';
import { accountEntity } from './account.entity.ts';

nodeType(accountEntity, {
  description: 'An account: an organisation, identified by its domain.',
  fields: (t) =>
    restFields(t, Account, {
      accountId: 'Raw id of this account in the REST API.',
      domain:
        'Internet domain, such as `example.com`. Persons with the same domain belong to the account.',
      name: 'Display name. Null when the backend has none.',
      createdAt: 'Time of creation.',
      updatedAt: 'Time of the last change.',
      latestActivityAt:
        'Time of the latest activity of the account or its persons. Null when there was none.',
      linkedPersonsCount: 'Number of persons linked to the account.',
    }),
});
