import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { ADD_ENTRY, TOPIC, EntriesView } from './EntriesView';
import { useShown } from './useShown';

export function Entries({ topicId }: { topicId: string }) {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching }, read] = useQuery({
    query: TOPIC,
    variables: { topicId, after },
  });
  const shown = useShown(data, error !== undefined && !data?.topic);
  const [{ data: added, error: failed }, addEntry] = useMutation(ADD_ENTRY);
  if (fetching && !shown) return <p>One moment …</p>;
  return (
    <EntriesView
      data={shown}
      added={added}
      error={error ?? failed}
      onMore={(next) => (next === after ? read({ requestPolicy: 'network-only' }) : setAfter(next))}
      onAdd={(content) => void addEntry({ input: { topicId, content: { type: 'text', content } } })}
    />
  );
}
