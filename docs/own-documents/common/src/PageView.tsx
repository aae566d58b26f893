import type { ResultOf } from '@graphql-typed-document-node/core';
import { graphql } from './graphql';

export const PAGE = graphql(`
  query Page($pageId: ID!, $after: String) {
    page(pageId: $pageId) {
      id
      name
      audiences(first: 5, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
        edges {
          node {
            id
            effectiveName
            person {
              id
              name
            }
          }
        }
      }
    }
  }
`);

interface PageViewProps {
  data: ResultOf<typeof PAGE> | undefined;
  error: Error | undefined;
  onMore: (after: string | null | undefined) => void;
}

export function PageView({ data, error, onMore }: PageViewProps) {
  const page = data?.page;
  if (!page) return <p>{error ? error.message : 'There is no such page.'}</p>;
  const next = page.audiences?.pageInfo;
  return (
    <>
      <h1>{page.name}</h1>
      {error && <p role="alert">Part of this page could not be loaded: {error.message}</p>}
      <ul>
        {page.audiences?.edges.map(({ node }) => (
          <li key={node?.id}>
            {node?.effectiveName}: {node?.person?.name ?? 'no person'}
          </li>
        ))}
      </ul>
      {next?.hasNextPage && <button onClick={() => onMore(next.endCursor)}>More</button>}
    </>
  );
}
