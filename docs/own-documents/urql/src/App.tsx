import { useState } from 'react';
import { useQuery } from 'urql';
import { PAGE, PageView } from './PageView';
import { useShown } from './useShown';

export function App({ pageId }: { pageId: string }) {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching }, read] = useQuery({ query: PAGE, variables: { pageId, after } });
  const shown = useShown(data, error !== undefined && !data?.page);
  if (fetching && !shown) return <p>One moment …</p>;
  const onMore = (next?: string | null) =>
    next === after ? read({ requestPolicy: 'network-only' }) : setAfter(next);
  return <PageView data={shown} error={error} onMore={onMore} />;
}
