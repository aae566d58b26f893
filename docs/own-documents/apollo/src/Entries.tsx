import { useState } from 'react';
import { useMutation, useQuery } from '@apollo/client/react';
import { ADD_ENTRY, TOPIC, EntriesView } from './EntriesView';
import { useShown } from './useShown';

export function Entries({ topicId }: { topicId: string }) {
  const { data, error, loading, fetchMore } = useQuery(TOPIC, {
    variables: { topicId },
    errorPolicy: 'all',
  });
  const [failed, setFailed] = useState<Error>();
  const shown = useShown(data, Boolean(error ?? failed) && !data?.topic);
  const [addEntry, { data: added, error: refused }] = useMutation(ADD_ENTRY, {
    errorPolicy: 'all',
    update(cache, { data: added }) {
      const edge = added?.createTopicEntry?.topicEntryEdge;
      const node = edge?.node;
      if (!node || !shown?.topic) return;
      cache.modify({
        id: cache.identify(shown.topic),
        fields: {
          entries: (list, { toReference }) => ({
            ...list,
            totalCount: list.totalCount + 1,
            edges: [...list.edges, { ...edge, node: toReference(node) }],
          }),
        },
      });
    },
  });
  if (loading && !shown) return <p>One moment …</p>;
  return (
    <EntriesView
      data={shown}
      added={added}
      error={error ?? failed ?? refused}
      onMore={(after) =>
        void fetchMore({ variables: { after } }).then(({ error }) => setFailed(error), setFailed)
      }
      onAdd={(content) =>
        void addEntry({ variables: { input: { topicId, content: { type: 'text', content } } } })
      }
    />
  );
}
