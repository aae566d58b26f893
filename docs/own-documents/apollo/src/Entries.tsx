import { useMutation, useQuery } from '@apollo/client/react';
import { ADD_ENTRY, TOPIC, EntriesView } from './EntriesView';

export function Entries({ topicId }: { topicId: string }) {
  const { data, error, loading, fetchMore } = useQuery(TOPIC, {
    variables: { topicId },
    errorPolicy: 'all',
  });
  const [addEntry, { data: added, error: failed }] = useMutation(ADD_ENTRY, {
    errorPolicy: 'all',
    update(cache, { data: added }) {
      const edge = added?.createTopicEntry?.topicEntryEdge;
      const node = edge?.node;
      if (!node || !data?.topic) return;
      cache.modify({
        id: cache.identify(data.topic),
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
  if (loading) return <p>One moment …</p>;
  return (
    <EntriesView
      data={data}
      added={added}
      error={error ?? failed}
      onMore={(after) => void fetchMore({ variables: { after } })}
      onAdd={(content) =>
        void addEntry({ variables: { input: { topicId, content: { type: 'text', content } } } })
      }
    />
  );
}
