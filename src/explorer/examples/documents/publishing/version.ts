/** An example: how far publishing has come. */
import document from '../../../../client/documents/version.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Publishing',
  title: 'How far publishing has come',
  document,
  variables: ({ versionId }) => ({ id: versionId }),
} satisfies Example;
