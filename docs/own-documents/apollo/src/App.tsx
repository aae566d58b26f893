import { useQuery } from '@apollo/client/react';
import { PAGE, PageView } from './PageView';

export function App({ pageId }: { pageId: string }) {
  const { data, error, loading, fetchMore } = useQuery(PAGE, {
    variables: { pageId },
    errorPolicy: 'all',
  });
  if (loading) return <p>One moment …</p>;
  const onMore = (after?: string | null) => void fetchMore({ variables: { after } });
  return <PageView data={data} error={error} onMore={onMore} />;
}
