/** An example: search. */
import document from '../../../../client/documents/search-pages.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Pages',
  title: 'Search pages',
  document,
  variables: () => ({ query: 'launch' }),
} satisfies Example;
