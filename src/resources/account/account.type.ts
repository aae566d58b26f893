/**
 * The GraphQL type of accounts.
 *
 * Source: interface.md, "Account". `name` and `latestActivityAt` may be null.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { accountEntity } from './account.entity.ts';

nodeType(accountEntity, {
  description: 'An account: an organisation, identified by its domain.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Raw id of this account in the REST API.' }),
    domain: t.exposeString('domain', {
      description:
        'Internet domain, such as `example.com`. Persons with the same domain belong to the account.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name. Null when the backend has none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    latestActivityAt: t.expose('latestActivityAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the latest activity of the account or its persons. Null when there was none.',
    }),
    linkedPersonsCount: t.expose('linkedPersonsCount', {
      type: 'SafeInt',
      description: 'Number of persons linked to the account.',
    }),
  }),
});
