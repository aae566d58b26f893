/**
 * Documents of real screens, to be opened and tried.
 *
 * Most are the files that frontends use, so what is shown here is what runs there.
 */
import { Kind, parse, print, visit } from 'graphql';
import accountWithPersons from '../../client/documents/account-with-persons.graphql?raw';
import accounts from '../../client/documents/accounts.graphql?raw';
import createAudience from '../../client/documents/create-audience.graphql?raw';
import fragments from '../../client/documents/fragments.graphql?raw';
import pageLinks from '../../client/documents/page-links.graphql?raw';
import pageWithAudiences from '../../client/documents/page-with-audiences.graphql?raw';
import pagingAudiences from '../../client/documents/paging-audiences.graphql?raw';
import publish from '../../client/documents/publish.graphql?raw';
import searchPages from '../../client/documents/search-pages.graphql?raw';
import topics from '../../client/documents/topics.graphql?raw';
import type { ExampleIds } from './example-ids.ts';

export interface Example {
  readonly group: string;
  readonly title: string;
  /** The whole document, with the fragments it spreads. */
  readonly document: string;
  readonly variables: (ids: ExampleIds) => Readonly<Record<string, unknown>>;
}

const PARTIAL = `# One of these does not exist, one id is not an id: the rest of the answer still arrives.
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
`;

const OVER_BUDGET = `# A list of lists of lists: the cost is shown before it is run.
# What is past the budget of a request is null, and "continuation" says where to go on.
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
`;

export const EXAMPLES: readonly Example[] = [
  example('Pages', 'A page with its audiences', pageWithAudiences, ({ pageId }) => ({ pageId })),
  example('Pages', 'Where a page can be reached', pageLinks, ({ pageId }) => ({ pageId })),
  example('Pages', 'Search', searchPages, () => ({ query: 'launch' })),
  example('Topics', 'Topics with their entries', topics, () => ({ first: 5 })),
  example('Accounts and people', 'Accounts', accounts, () => ({ first: 10 })),
  example(
    'Accounts and people',
    'An account with its people',
    accountWithPersons,
    ({ accountId }) => ({
      accountId,
    }),
  ),
  example('Paging', 'Step through the audiences of a page', pagingAudiences, ({ pageId }) => ({
    pageId,
    first: 5,
  })),
  example('Errors and cost', 'Errors in a part of the answer', PARTIAL, ({ pageId }) => ({
    pageId,
  })),
  example('Errors and cost', 'More than a request may cost', OVER_BUDGET, () => ({})),
  example('Publishing', 'Create an audience', createAudience, ({ pageId }) => ({
    input: { pageId, customName: 'Spring visitors', publishBehavior: 'draft' },
  })),
  example('Publishing', 'Publish a version', publish, ({ versionId }) => ({
    input: { id: versionId },
  })),
];

function example(
  group: string,
  title: string,
  text: string,
  variables: Example['variables'],
): Example {
  return { group, title, document: withFragments(text), variables };
}

/** A document followed by the shared fragments it spreads, and those that these spread. */
function withFragments(text: string): string {
  const shared = new Map(
    parse(fragments).definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const wanted = new Set<string>();
  const collect = (node: Parameters<typeof visit>[0]): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        if (wanted.has(name.value)) return;
        wanted.add(name.value);
        const fragment = shared.get(name.value);
        if (fragment) collect(fragment);
      },
    });
  };
  collect(parse(text));
  const parts = [...wanted].flatMap((name) => shared.get(name) ?? []).map((node) => print(node));
  return [text.trim(), ...parts].join('\n\n') + '\n';
}
