/**
 * The examples, in the order in which they are shown, each with the fragments that it spreads.
 *
 * Most are documents that frontends use, so what is shown here is what runs there.
 */
import { Kind, parse, print, visit } from 'graphql';
import fragments from '../../client/documents/fragments.graphql?raw';
import type { ExampleIds } from './example-ids.ts';

/** A document of a real screen, with variables that are about what the backend has. */
export interface Example {
  readonly title: string;
  readonly document: string;
  readonly variables: (ids: ExampleIds) => Readonly<Record<string, unknown>>;
}

const texts = import.meta.glob<string>(
  ['../../client/documents/*.graphql', './examples/*.graphql'],
  {
    eager: true,
    query: '?raw',
    import: 'default',
  },
);

/** @param file the document's: of a frontend, or of an example alone. */
function example(title: string, file: string, variables: Example['variables']): Example {
  const text =
    texts[`../../client/documents/${file}.graphql`] ?? texts[`./examples/${file}.graphql`];
  return { title, document: withFragments(text!), variables };
}

const ofPage: Example['variables'] = ({ pageId }) => ({ pageId });
const ofVersion: Example['variables'] = ({ versionId }) => ({ id: versionId });

/** The document of a first visit, and of one to a backend where no page can be found. */
export const FIRST_EXAMPLE = example('A page with its audiences', 'page-with-audiences', ofPage);
export const FIRST_WITHOUT_PAGES = example('Topics with their entries', 'topics', () => ({
  first: 5,
}));

export const GROUPS: Readonly<Record<string, readonly Example[]>> = {
  Pages: [
    example('A page at once, its audiences later', 'deferred-audiences', ofPage),
    example('Where a page can be reached', 'page-links', ofPage),
    FIRST_EXAMPLE,
    example('Search pages', 'search-pages', () => ({ query: 'launch' })),
  ],
  Topics: [FIRST_WITHOUT_PAGES],
  'Accounts and people': [
    example('An account with its people', 'account-with-persons', ({ accountId }) => ({
      accountId,
    })),
    example('Accounts', 'accounts', () => ({ first: 10 })),
  ],
  Paging: [
    example('Step through the audiences of a page', 'paging-audiences', ({ pageId }) => ({
      pageId,
      first: 5,
    })),
  ],
  Publishing: [
    example('Create an audience', 'create-audience', ({ pageId }) => ({
      input: { pageId, customName: 'Spring visitors', publishBehavior: 'draft' },
    })),
    example('Publish a version', 'publish', ({ versionId }) => ({ input: { id: versionId } })),
    example('How far publishing has come', 'version', ofVersion),
    example('Watch a version being published', 'version-progress', ofVersion),
  ],
  'Errors and cost': [
    example('More than a request may cost', 'over-budget', () => ({})),
    example('Errors in a part of the answer', 'partial-errors', ofPage),
  ],
};

export const EXAMPLES: readonly Example[] = Object.values(GROUPS).flat();

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
