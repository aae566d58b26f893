/** An example: the page that first visitors find. */
import document from '../../../../client/documents/page-with-audiences.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Pages',
  title: 'A page with its audiences',
  document,
  variables: ({ pageId }) => ({ pageId }),
} satisfies Example;
