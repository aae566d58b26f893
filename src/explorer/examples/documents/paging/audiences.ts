/** An example: a list in steps. */
import document from '../../../../client/documents/paging-audiences.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Paging',
  title: 'Step through the audiences of a page',
  document,
  variables: ({ pageId }) => ({ pageId, first: 5 }),
} satisfies Example;
