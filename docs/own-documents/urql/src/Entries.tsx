import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { ADD_ENTRY, TOPIC, EntriesView } from './EntriesView';

export function Entries({ topicId }: { topicId: string }) {
  const [after, setAfter] = useState<string | null>();
  const [{ data, error, fetching }] = useQuery({ query: TOPIC, variables: { topicId, after } });
  const [{ data: added, error: failed }, addEntry] = useMutation(ADD_ENTRY);
  if (fetching && !data) return <p>One moment …</p>;
  return (
    <EntriesView
      data={data}
      added={added}
      error={error ?? failed}
      onMore={setAfter}
      onAdd={(content) => void addEntry({ input: { topicId, content: { type: 'text', content } } })}
    />
  );
}
