/** An example: the links of a page. */
import document from '../../../../client/documents/page-links.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Pages',
  title: 'Where a page can be reached',
  document,
  variables: ({ pageId }) => ({ pageId }),
} satisfies Example;
