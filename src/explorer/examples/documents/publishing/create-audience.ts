/** An example: a write that answers `userErrors`. */
import document from '../../../../client/documents/create-audience.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Publishing',
  title: 'Create an audience',
  document,
  variables: ({ pageId }) => ({
    input: { pageId, customName: 'Spring visitors', publishBehavior: 'draft' },
  }),
} satisfies Example;
