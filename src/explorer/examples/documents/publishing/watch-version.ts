/** An example: a subscription that ends by itself. */
import document from '../../../../client/documents/version-progress.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Publishing',
  title: 'Watch a version being published',
  document,
  variables: ({ versionId }) => ({ id: versionId }),
} satisfies Example;
