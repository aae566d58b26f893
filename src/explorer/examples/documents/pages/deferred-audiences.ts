/** An example: the slow part of a screen comes later. */
import type { Example } from '../../example.ts';

export default {
  group: 'Pages',
  title: 'A page at once, its audiences later',
  document: `# What has "@defer" comes in a part of its own: the page is there before it.
query DeferredAudiences($pageId: ID!) {
  page(pageId: $pageId) {
    name
    status
    ... @defer(label: "audiences") {
      audiences(first: 5) {
        nodes {
          effectiveName
          person {
            name
          }
        }
      }
    }
  }
}
`,
  variables: ({ pageId }) => ({ pageId }),
} satisfies Example;
