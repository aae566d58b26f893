/** An example: topics with their entries. */
import document from '../../../../client/documents/topics.graphql?raw';
import type { Example } from '../../example.ts';

export default {
  group: 'Topics',
  title: 'Topics with their entries',
  document,
  variables: () => ({ first: 5 }),
} satisfies Example;
