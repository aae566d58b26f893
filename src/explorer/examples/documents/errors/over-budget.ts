/** An example: a document whose cost is above the budget of a request. */
import type { Example } from '../../example.ts';

export default {
  group: 'Errors and cost',
  title: 'More than a request may cost',
  document: `# Lists of lists of lists: what this may cost is shown before it is run.
# Past the budget a request is refused, or cut with a "continuation" that says where to go on.
query OverBudget {
  searchPages(query: "", first: 50) {
    page {
      name
      audiences(first: 100) {
        nodes {
          effectiveName
          person {
            name
          }
          versions(first: 3) {
            nodes {
              status
            }
          }
        }
      }
    }
  }
}
`,
  variables: () => ({}),
} satisfies Example;
