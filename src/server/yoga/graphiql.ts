/**
 * GraphiQL, served by this process: nothing is loaded from elsewhere.
 *
 * The page weighs 9 MB, so it is loaded and written once, when the first browser asks.
 */
import type { GraphiQLOptions } from 'graphql-yoga';

export interface GraphiqlOptions {
  /** The key the page sends until its user writes another. */
  readonly apiKey?: string | undefined;
  /** The page that the first query is about. */
  readonly pageId?: string | undefined;
}

export function graphiqlOptions({ apiKey, pageId }: GraphiqlOptions): GraphiQLOptions {
  return {
    title: 'Content Pages · GraphiQL',
    // With the sample key, answers also show what they cost the backend.
    headers: JSON.stringify(apiKey ? { 'x-api-key': apiKey, 'x-explain': 'true' } : {}, null, 2),
    defaultEditorToolsVisibility: 'headers',
    defaultQuery: exampleQuery(apiKey ? HAS_KEY : NEEDS_KEY, pageId ?? 'the id of a page'),
  };
}

/** Answers the page; every time the same one. */
export function graphiqlRenderer(): (options?: GraphiQLOptions) => Promise<string> {
  let page: Promise<string> | undefined;
  return (options) =>
    (page ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) =>
      renderGraphiQL(options).trimStart(),
    ));
}

const HAS_KEY = '# Headers, below, holds the key of the sample data.';
const NEEDS_KEY = '# Write your key into Headers, below: { "x-api-key": "…" }';

const exampleQuery = (
  hint: string,
  pageId: string,
): string => `# A page, its audiences, and their persons
# and versions. Press Play, or Ctrl-Enter.
${hint}
query PageWithAudiences {
  page(pageId: ${JSON.stringify(pageId)}) {
    name
    status
    audiencesCount
    audiences(first: 5) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        effectiveName
        status
        person {
          name
          domain
        }
        versions(first: 3) {
          nodes {
            versionNumber
            status
            createdAt
          }
        }
      }
    }
  }
}
`;
