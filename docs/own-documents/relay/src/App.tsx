import { useState } from 'react';
import { graphql, useLazyLoadQuery, usePaginationFragment, useSubscription } from 'react-relay';
import type { AppProgressSubscription } from './generated/AppProgressSubscription.graphql';
import type { AppQuery } from './generated/AppQuery.graphql';
import type { App_audiences$key } from './generated/App_audiences.graphql';

export function App({ pageId }: { pageId: string }) {
  const { page } = useLazyLoadQuery<AppQuery>(
    graphql`
      query AppQuery($pageId: ID!) {
        page(pageId: $pageId) {
          id
          name
          ...App_audiences
        }
      }
    `,
    { pageId },
  );
  if (!page) return <p>The page does not exist, or could not be loaded.</p>;
  return (
    <>
      <h1>{page.name}</h1>
      <Audiences page={page} id={page.id} />
    </>
  );
}

function Audiences({ page, id }: { page: App_audiences$key; id: string }) {
  const { data, hasNext, loadNext } = usePaginationFragment(
    graphql`
      fragment App_audiences on Page
      @refetchable(queryName: "AppAudiencesQuery")
      @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, after: { type: "String" }) {
        audiences(first: $count, after: $after) @connection(key: "App_audiences") {
          edges {
            node {
              id
              effectiveName
              status
              person {
                name
              }
            }
          }
        }
      }
    `,
    page,
  );
  const [failed, setFailed] = useState<Error | null>(null);
  // Each event is put into the store, where the rows find it.
  useSubscription<AppProgressSubscription>({
    subscription: graphql`
      subscription AppProgressSubscription($id: ID!) {
        pageProgress(id: $id) {
          audiences {
            id
            status
          }
        }
      }
    `,
    variables: { id },
    onError: setFailed,
  });
  return (
    <>
      {failed && <p>{failed.message}</p>}
      {!data.audiences && <p>The audiences could not be loaded.</p>}
      <ul>
        {data.audiences?.edges.map(({ node }) => (
          <li key={node?.id}>
            {node?.effectiveName} ({node?.status}): {node?.person?.name ?? 'no person'}
          </li>
        ))}
      </ul>
      {hasNext && <button onClick={() => loadNext(5, { onComplete: setFailed })}>More</button>}
    </>
  );
}
