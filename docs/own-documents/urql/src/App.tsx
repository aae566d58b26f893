import { useState } from 'react';
import { useQuery } from 'urql';
import { PAGE, PageView } from './PageView';

export function App({ pageId }: { pageId: string }) {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching }] = useQuery({ query: PAGE, variables: { pageId, after } });
  if (fetching && !data) return <p>One moment …</p>;
  return <PageView data={data} error={error} onMore={setAfter} />;
}
