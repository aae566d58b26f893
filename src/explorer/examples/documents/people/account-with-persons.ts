/** An example: an account, its persons, their logs. */
import document from '../../../../client/documents/account-with-persons.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Accounts and people',
  title: 'An account with its people',
  document,
  variables: ({ accountId }) => ({ accountId }),
} satisfies Example;
