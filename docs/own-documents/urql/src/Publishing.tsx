import { useMutation, useQuery, useSubscription } from 'urql';
import { AUDIENCE, PROGRESS, PUBLISH, PublishingView } from './PublishingView';

export function Publishing(variables: { pageId: string; audienceId: string }) {
  const [{ data, error, fetching }] = useQuery({ query: AUDIENCE, variables });
  const id = data?.audience?.latestVersion?.id;
  // Each event updates the version in the cache, and the query above renders it.
  const [{ error: interrupted }] = useSubscription({
    query: PROGRESS,
    variables: { id: id ?? '' },
    pause: !id,
  });
  const [{ data: published, error: rejected }, publish] = useMutation(PUBLISH);
  if (fetching && !data) return <p>One moment …</p>;
  return (
    <PublishingView
      data={data}
      published={published}
      error={error ?? interrupted ?? rejected}
      onPublish={(id) => void publish({ id })}
    />
  );
}
