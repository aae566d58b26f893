/** An example: a list of accounts. */
import document from '../../../../client/documents/accounts.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Accounts and people',
  title: 'Accounts',
  document,
  variables: () => ({ first: 10 }),
} satisfies Example;
