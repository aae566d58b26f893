/**
 * Accounts as the graph shows them.
 *
 * Source: interface.md, "Account". `name` and `latestActivityAt` may be null.
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { accountEntity } from './account.entity.ts';

nodeType(accountEntity, {
  description: 'An account: an organisation, known by its domain.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'The id REST knows this account by.' }),
    domain: t.exposeString('domain', {
      description: 'Its domain; the persons with the same domain belong to it.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Its name.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    latestActivityAt: t.expose('latestActivityAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When something last happened to it or its persons; null when nothing did.',
    }),
    linkedPersonsCount: t.expose('linkedPersonsCount', {
      type: 'SafeInt',
      description: 'How many persons belong to it.',
    }),
  }),
});
