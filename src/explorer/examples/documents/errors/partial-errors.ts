/** An example: errors in a part of the answer. */
import type { Example } from '../../example.ts';

export default {
  group: 'Errors and cost',
  title: 'Errors in a part of the answer',
  document: `# One page does not exist, and one id is not an id: the rest of the answer still arrives.
query PartialErrors($pageId: ID!) {
  found: page(pageId: $pageId) {
    name
  }
  missing: page(pageId: "no-such-page") {
    name
  }
  refused: node(id: "not-a-global-id") {
    id
  }
}
`,
  variables: ({ pageId }) => ({ pageId }),
} satisfies Example;
