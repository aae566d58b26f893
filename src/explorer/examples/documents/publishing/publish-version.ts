/** An example: publishing a draft. */
import document from '../../../../client/documents/publish.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Publishing',
  title: 'Publish a version',
  document,
  variables: ({ versionId }) => ({ input: { id: versionId } }),
} satisfies Example;
