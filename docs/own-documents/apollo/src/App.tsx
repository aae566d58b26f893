import { useState } from 'react';
import { useQuery } from '@apollo/client/react';
import { PAGE, PageView } from './PageView';
import { useShown } from './useShown';

export function App({ pageId }: { pageId: string }) {
  const { data, error, loading, fetchMore } = useQuery(PAGE, {
    variables: { pageId },
    errorPolicy: 'all',
  });
  const [failed, setFailed] = useState<Error>();
  const shown = useShown(data, Boolean(error ?? failed) && !data?.page);
  if (loading && !shown) return <p>One moment …</p>;
  const onMore = (after?: string | null) =>
    void fetchMore({ variables: { after } }).then(({ error }) => setFailed(error), setFailed);
  return <PageView data={shown} error={error ?? failed} onMore={onMore} />;
}
