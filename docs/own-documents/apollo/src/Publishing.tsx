import { skipToken, useMutation, useQuery, useSubscription } from '@apollo/client/react';
import { AUDIENCE, PROGRESS, PUBLISH, PublishingView } from './PublishingView';

export function Publishing(variables: { pageId: string; audienceId: string }) {
  const { data, error, loading } = useQuery(AUDIENCE, { variables, errorPolicy: 'all' });
  const id = data?.audience?.latestVersion?.id;
  // Each event updates the version in the cache, and the query above renders it.
  const { error: interrupted } = useSubscription(PROGRESS, id ? { variables: { id } } : skipToken);
  const [publish, { data: published, error: rejected }] = useMutation(PUBLISH, {
    errorPolicy: 'all',
  });
  if (loading && !data) return <p>One moment …</p>;
  return (
    <PublishingView
      data={data}
      published={published}
      error={error ?? interrupted ?? rejected}
      onPublish={(id) => void publish({ variables: { id } })}
    />
  );
}
