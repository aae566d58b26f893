/**
 * The examples in the order of the pane, most of them documents of the client package, and ids for them, found by a
 * query to the gateway.
 */
import { parse, print, separateOperations } from 'graphql';
import fragments from '../../client/documents/fragments.graphql?raw';
import { readApiKey } from '../exchange/api-key.ts';
import type { Ask } from '../exchange/request.ts';
import idsQuery from './example-ids.graphql?raw';

/** A document of a real screen, with variables for objects of this backend. */
export interface Example {
  readonly title: string;
  readonly document: string;
  readonly variables: (ids: ExampleIds) => Readonly<Record<string, unknown>>;
}

const texts = import.meta.glob<string>(
  ['../../client/documents/*.graphql', './examples/*.graphql'],
  { eager: true, query: '?raw', import: 'default' },
);

/** @param file the name of a client document, or of a file in `examples/`. */
function example(title: string, file: string, variables: Example['variables']): Example {
  const text =
    texts[`../../client/documents/${file}.graphql`] ?? texts[`./examples/${file}.graphql`];
  return { title, document: withFragments(text!), variables };
}

const ofPage: Example['variables'] = ({ pageId }) => ({ pageId });
const ofAccount: Example['variables'] = ({ accountId }) => ({ accountId });
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
    example('An account with its people', 'account-with-persons', ofAccount),
    example('Accounts', 'accounts', () => ({ first: 10 })),
  ],
  Paging: [
    example('Page through audiences', 'paging-audiences', ({ pageId }) => ({ pageId, first: 5 })),
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

/** Ids of objects that exist. Null if the backend has none, or does not respond. */
export interface ExampleIds {
  readonly pageId: string | null;
  readonly accountId: string | null;
  /** Global ids of up to a hundred persons. */
  readonly personIds: readonly string[];
  readonly topicId: string | null;
  /** The global id of a version, a draft if there is one. */
  readonly versionId: string | null;
}

interface Found {
  readonly page?: Page | null;
  readonly searchPages?: readonly SearchHit[] | null;
  readonly accounts: Nodes<{ readonly accountId: string }>;
  readonly persons: Nodes<{ readonly id: string }>;
  readonly topics: Nodes<{ readonly topicId: string }>;
}
interface SearchHit {
  readonly pageId: string;
  readonly page?: Page | null;
}
interface Page {
  readonly audiences: Nodes<{
    readonly latestVersion: { readonly id: string; readonly status: string | null } | null;
  }>;
}
type Nodes<Node> = { readonly nodes: readonly Node[] } | null;

/** @param isFresh queries again, for a draft that is not published yet. */
export type FindIds = (isFresh?: boolean) => Promise<ExampleIds>;

/** Queries once per API key, since callers may see different objects; again after finding nothing. */
export function idFinder(ask: Ask, knownPageId: string | undefined): FindIds {
  let found: { readonly key: string; readonly ids: Promise<ExampleIds> } | undefined;
  return async (isFresh = false) => {
    const key = readApiKey();
    if (isFresh || found?.key !== key) found = { key, ids: findExampleIds(ask, knownPageId) };
    const latest = found;
    const ids = await latest.ids;
    if (ids.accountId === null && ids.topicId === null && found === latest) found = undefined;
    return ids;
  };
}

/** @param known the id of a page that exists. */
export async function findExampleIds(ask: Ask, known?: string): Promise<ExampleIds> {
  const found = await ask<Found>(idsQuery, { pageId: known, isKnown: known !== undefined });
  const hit = found?.searchPages?.[0];
  const page = found?.page ?? hit?.page;
  const latest = (page?.audiences?.nodes ?? []).flatMap(({ latestVersion }) => latestVersion ?? []);
  const version = latest.find(({ status }) => status === 'draft') ?? latest[0];
  return {
    pageId: known ?? hit?.pageId ?? null,
    accountId: found?.accounts?.nodes[0]?.accountId ?? null,
    personIds: found?.persons?.nodes.map(({ id }) => id) ?? [],
    topicId: found?.topics?.nodes[0]?.topicId ?? null,
    versionId: version?.id ?? null,
  };
}
