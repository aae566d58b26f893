/** An example: a document whose cost is above the budget of a request. */
import type { Example } from '../../example.ts';

export default {
  group: 'Errors and cost',
  title: 'More than a request may cost',
  document: `# Lists of lists of lists: what this may cost is shown before it is run.
# Past the budget a request is refused, or cut with a "continuation" that says where to go on.
query OverBudget {
  accounts(first: 100) {
    nodes {
      name
      persons(first: 100) {
        nodes {
          name
          logs(first: 100) {
            nodes {
              type
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
