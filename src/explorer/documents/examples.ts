/** The examples in the order of the pane, most of them documents of the client package. */
import { parse, print, separateOperations } from 'graphql';
import fragments from '../../client/documents/fragments.graphql?raw';
import type { ExampleIds } from './example-ids.ts';

/** A document of a real screen, with variables for objects of this backend. */
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

/** @param file the name of a client document, or of a file in `examples/`. */
function example(title: string, file: string, variables: Example['variables']): Example {
  const text =
    texts[`../../client/documents/${file}.graphql`] ?? texts[`./examples/${file}.graphql`];
  return { title, document: withFragments(text!), variables };
}

const ofPage: Example['variables'] = ({ pageId }) => ({ pageId });
const ofVersion: Example['variables'] = ({ versionId }) => ({ id: versionId });

/** The first documents: the usual one, and the one for backends where no page can be found. */
export const FIRST_EXAMPLE = example('A page with its audiences', 'page-with-audiences', ofPage);
export const FIRST_WITHOUT_PAGES = example('Topics with their entries', 'topics', () => ({
  first: 5,
}));

export const GROUPS: Readonly<Record<string, readonly Example[]>> = {
  Pages: [
    example('A page, then its audiences', 'deferred-audiences', ofPage),
    example('Links of a page', 'page-links', ofPage),
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
    example('Page through audiences', 'paging-audiences', ({ pageId }) => ({
      pageId,
      first: 5,
    })),
  ],
  Publishing: [
    example('Create an audience', 'create-audience', ({ pageId }) => ({
      input: { pageId, customName: 'Spring visitors', publishBehavior: 'draft' },
    })),
    example('Publish a version', 'publish', ({ versionId }) => ({ input: { id: versionId } })),
    example('Publishing status', 'version', ofVersion),
    example('Watch a version being published', 'version-progress', ofVersion),
  ],
  'Errors and limits': [
    example('Over the call limit', 'over-budget', ({ personIds }) => ({ ids: personIds })),
    example('Partial errors', 'partial-errors', ofPage),
  ],
};

export const EXAMPLES: readonly Example[] = Object.values(GROUPS).flat();

/** A document followed by the shared fragments that it spreads, directly or through others. */
function withFragments(text: string): string {
  const own = parse(text).definitions.length;
  const [document] = Object.values(separateOperations(parse(text + fragments)));
  const shared = document!.definitions.slice(own).map((node) => print(node));
  return [text.trim(), ...shared].join('\n\n') + '\n';
}
